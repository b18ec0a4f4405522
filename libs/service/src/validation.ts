import { type ArgumentMetadata, Injectable, type PipeTransform, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { Problem } from './problem.ts';

export interface FieldError {
  /** The member, dotted: `notice.fr`; empty for the body itself. */
  readonly path: string;
  readonly message: string;
}

/** 400 `body-invalid`, with one entry for every member that is missing, wrong or unknown. */
export function bodyInvalid(errors: readonly FieldError[]): Problem {
  return new Problem(400, 'body-invalid', 'The body does not have the form of this request; see `errors`.', {
    members: { errors },
  });
}

/** 400 `bad-request`: something about the request other than its JSON body. */
export function badRequest(detail: string): Problem {
  return new Problem(400, 'bad-request', detail);
}

/**
 * Validates bodies against their class (class-validator): unknown members are refused, nothing is converted.
 * A body that is no object is refused before any class sees it.
 */
@Injectable()
export class BodyValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      stopAtFirstError: true,
      transformOptions: { enableImplicitConversion: false },
      exceptionFactory: (errors) => bodyInvalid(errors.flatMap((error) => fieldErrors(error, ''))),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body') return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw bodyInvalid([{ path: '', message: 'the body must be a JSON object' }]);
    }
    return super.transform(value, metadata);
  }
}

function fieldErrors(error: ValidationError, parent: string): FieldError[] {
  const path = parent === '' ? error.property : `${parent}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ path, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, path))];
}

/** A lower-case UUID of any version. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** One to 255 characters that JSON and PostgreSQL keep as they are: no control character, no half of a surrogate pair. */
export const LINE = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** True for a lower-case UUID of any version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** `@Param('id', new UuidPipe('play-unknown'))`: what is not a lower-case UUID cannot be known, so it is a 404. */
export class UuidPipe implements PipeTransform<unknown, string> {
  constructor(private readonly problem: string) {}

  transform(value: unknown): string {
    if (isUuid(value)) return value;
    throw new Problem(404, this.problem, 'Nothing has this id; ids are lower-case UUIDs.');
  }
}

/**
 * `@Query('limit', new WholeNumberPipe('limit', { min: 1, max: 200, otherwise: 50 }))`: digits only, within the range.
 * Absent, it is `otherwise`; anything else is 400 `bad-request`.
 */
export class WholeNumberPipe<Otherwise extends number | null> implements PipeTransform<unknown, number | Otherwise> {
  constructor(
    private readonly parameter: string,
    private readonly range: { readonly min: number; readonly max: number; readonly otherwise: Otherwise },
  ) {}

  transform(value: unknown): number | Otherwise {
    if (value === undefined) return this.range.otherwise;
    const { min, max } = this.range;
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw badRequest(`The parameter ${this.parameter} must be a whole number from ${min} to ${max}.`);
  }
}
