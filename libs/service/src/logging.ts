import { Logger as NestPinoLogger, PinoLogger } from 'nestjs-pino';
import { currentTraceId } from './trace.ts';

const SECRET_MEMBERS = ['authorization', 'token', 'serviceToken', 'password', 'secret', 'privateKey', 'cookie'];

/** What Nest says while it wires modules and routes together: true, and of no use to whoever operates the service. */
const FRAMEWORK_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

class ServiceLogger extends NestPinoLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!FRAMEWORK_CONTEXTS.has(String(rest.at(-1)))) super.log(message, ...rest);
  }
}

/**
 * JSON lines on standard output, with the service's name and, inside a request, its trace id. Members that hold
 * secrets are left out wherever they stand, to a depth of three.
 */
export function serviceLogger(name: string, level: string): ServiceLogger {
  const parameters = {
    pinoHttp: {
      level,
      base: { service: name },
      redact: {
        paths: SECRET_MEMBERS.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]),
        remove: true,
      },
      mixin: () => {
        const trace = currentTraceId();
        return trace === null ? {} : { trace };
      },
    },
  };
  return new ServiceLogger(new PinoLogger(parameters), parameters);
}
