import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { type ProblemName, problems } from '#contracts';
import { ProblemView } from '#contracts/http';

/** Documents the problems that a route ends with, beside those that every route may end with. */
export function AnswersProblems(...names: readonly ProblemName[]): MethodDecorator & ClassDecorator {
  const byStatus = Map.groupBy(names, (name) => problems[name].status);
  return applyDecorators(
    ApiExtraModels(ProblemView),
    ...[...byStatus].map(([status, ofStatus]) =>
      ApiResponse({
        status,
        description: ofStatus.map((name) => `\`${name}\`: ${problems[name].meaning}`).join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemView) } } },
      }),
    ),
  );
}

/** What every route of a player may end with. */
export const CALLER_PROBLEMS = [
  'token-missing',
  'token-refused',
  'wrong-token-kind',
  'no-account',
  'issuer-away',
  'wallet-away',
] as const;
