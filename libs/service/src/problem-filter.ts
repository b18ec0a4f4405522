import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Problem } from './problem.ts';
import { StrictJsonError } from './strict-json.ts';
import { badRequest, bodyInvalid } from './validation.ts';

/** Every failure of a request, whoever raised it, ends here and leaves as a problem. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger = new Logger('requests');

  catch(error: unknown, host: ArgumentsHost): void {
    sendProblem(host.switchToHttp().getResponse<FastifyReply>(), asProblem(error, this.#logger));
  }
}

export function sendProblem(reply: FastifyReply, problem: Problem): void {
  // An answer that has begun cannot become a problem any more; cutting it tells the reader that it is incomplete.
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  reply
    .status(problem.status)
    .headers({ ...problem.headers })
    .type('application/problem+json')
    .send(JSON.stringify(problem.toBody()));
}

/** The problem that an error is to the outside. What nobody foresaw is logged whole and told without any detail. */
export function asProblem(error: unknown, logger: Logger): Problem {
  if (error instanceof Problem) {
    if (error.cause !== undefined) logger.warn({ err: error.cause }, error.message);
    return error;
  }
  const cause = error instanceof HttpException ? (error.cause ?? error) : error;
  return knownFailure(cause) ?? byStatus(error) ?? unforeseen(error, logger);
}

function knownFailure(error: unknown): Problem | null {
  if (error instanceof StrictJsonError) return bodyInvalid([{ path: '', message: error.message }]);
  switch ((error as { code?: unknown } | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(413, 'body-too-large', 'The body is larger than 1 MB; send less.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(415, 'content-type-unsupported', 'Send the body as application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The body is not as long as its Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return badRequest('The address contains an escape that stands for no character.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return routeUnknown();
    default:
      return null;
  }
}

function byStatus(error: unknown): Problem | null {
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === 404) return routeUnknown();
  if (status === 413) return new Problem(413, 'body-too-large', 'The body is larger than 1 MB; send less.');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return badRequest('The request cannot be read; check its address, headers and body.');
  }
  return null;
}

function unforeseen(error: unknown, logger: Logger): Problem {
  logger.error({ err: error instanceof Error ? error : new Error(String(error)) }, 'a request failed unexpectedly');
  return new Problem(500, 'internal-error', 'Something failed on our side and has been logged; try again later.');
}

export function routeUnknown(): Problem {
  return new Problem(404, 'route-unknown', 'There is nothing at this address for this method.');
}
