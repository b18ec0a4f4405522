/** What `runService` needs of a service, whatever it is made with. */
export interface RunningService {
  /** Resolves when it serves; rejects when its start failed. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/** Less than a launcher waits before it kills. */
const STOP_PATIENCE_MS = 15_000;

/**
 * The whole of a service's main.ts: starts it and keeps the process's side of the bargain. SIGTERM, SIGINT and the end
 * of the launcher's channel stop it in order and exit with 0, however often they come. A start that fails, and an error
 * that nothing caught, and a stop that takes longer than `patience_ms`, print one line on standard error and exit with 1.
 */
export async function runService(
  name: string,
  start: () => Promise<RunningService>,
  patience_ms = STOP_PATIENCE_MS,
): Promise<void> {
  const stopping = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.resolve());
  process.on('disconnect', () => stopping.resolve());
  // Nobody may be left to kill a stop that hangs: what is taken is stored, so that its end is safe at any moment.
  void stopping.promise.then(() => {
    setTimeout(() => endProcess(name, `it did not stop within ${patience_ms / 1000} s`), patience_ms);
  });
  process.on('uncaughtException', (error) => endProcess(name, error));
  process.on('unhandledRejection', (error) => endProcess(name, error));
  try {
    const service = await start();
    await Promise.race([service.ready, stopping.promise]);
    await stopping.promise;
    await service.stop();
  } catch (error) {
    endProcess(name, error);
  }
  process.exit(0);
}

/** Ends the process with one clear line: what failed is beyond repair from within. */
export function endProcess(name: string, error: unknown): never {
  process.stderr.write(`enjeu ${name}: ${oneLine(error)}\n`);
  process.exit(1);
}

/** What an error says, in one line, whatever it is. */
export function oneLine(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0)
    return oneLine(error.errors[0]);
  const text =
    error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code || error.name : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
