import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Identity } from '../peers/wallet.ts';
import { Players } from './players.ts';
import { Tokens } from './tokens.ts';

interface Called extends FastifyRequest {
  identity?: Identity;
  playerId?: string;
}

function requestOf(context: ExecutionContext): Called {
  return context.switchToHttp().getRequest<Called>();
}

/** Lets a player's token in, with or without an account: see `Tokens.verify`. */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(private readonly tokens: Tokens) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    request.identity = await this.tokens.verify(request.headers.authorization);
    return true;
  }
}

/** Lets in who has an account: see `Tokens.verify` and `Players.playerIdOf`. */
@Injectable()
export class PlayerGuard implements CanActivate {
  constructor(
    private readonly tokens: Tokens,
    private readonly players: Players,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    request.identity = await this.tokens.verify(request.headers.authorization);
    request.playerId = await this.players.playerIdOf(request.identity);
    return true;
  }
}

/** Whom the token speaks of, behind either guard. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context).identity);

/** The caller's player id, behind the PlayerGuard. */
export const PlayerId = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context).playerId);
