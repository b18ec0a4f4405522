import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { idempotencyKey } from '#event-sourcing';
import { bodyInvalid, Problem } from '#service';

/** The key as it is stored. 400 `idempotency-key-invalid` where it is missing or is no UUID. */
export function readIdempotencyKey(header: unknown): string {
  const key = typeof header === 'string' ? idempotencyKey(header) : null;
  if (key !== null) return key;
  throw new Problem(400, 'idempotency-key-invalid', 'Send the header Idempotency-Key with a UUID of your own making.');
}

/** For routes that take no body: 400 `body-invalid` for one that is not an empty object. */
@Injectable()
export class WithoutBody implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body === undefined || body === null) return true;
    const members = typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : [''];
    if (members.length === 0) return true;
    throw bodyInvalid(members.map((path) => ({ path, message: 'this route takes no body' })));
  }
}
