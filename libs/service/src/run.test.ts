import { fileURLToPath } from 'node:url';
import { runSource, type SourceProcess } from '../../../test/process/source-process.ts';

const ENTRY = fileURLToPath(new URL('./run.fixture.ts', import.meta.url));

function run(environment: Readonly<Record<string, string>> = {}): SourceProcess {
  return runSource(ENTRY, { PORT: '0', ENJEU_LOG_LEVEL: 'silent', ...environment });
}

async function urlOf(service: SourceProcess): Promise<string> {
  return (await service.saw(/listening on (\S+)/))[1]!;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s, however often, answers what is in flight and exits with 0',
  async (signal) => {
    const service = run();
    const slow = fetch(`${await urlOf(service)}/slow`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    service.child.kill(signal);
    service.child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    service.child.kill(signal);
    expect(await (await slow).json()).toEqual({ slow: true });
    expect(await service.ended).toBe(0);
    expect(service.output.stdout).toMatch(/hook ran/);
    expect(service.output.stderr).toBe('');
  },
  30_000,
);

test('the end of the launcher is a stop too', async () => {
  const service = run();
  await urlOf(service);
  service.child.disconnect();
  expect(await service.ended).toBe(0);
}, 30_000);

test('a stop that hangs ends the process too: a launcher that was killed leaves no orphan', async () => {
  const service = run({ SLOW_READY: 'hangs' });
  await urlOf(service);
  service.child.disconnect();
  expect(await service.ended).toBe(1);
  expect(service.output.stderr).toBe('enjeu slow: it did not stop within 1 s\n');
}, 10_000);

test('a service that still waits to be ready is stopped at once', async () => {
  const service = run({ SLOW_READY: 'waits' });
  await urlOf(service);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
}, 30_000);

test('a start that fails is one line and exit code 1', async () => {
  const service = run({ SLOW_READY: 'fails' });
  expect(await service.ended).toBe(1);
  expect(service.output.stderr).toBe('enjeu slow: database enjeu does not exist second line\n');
}, 30_000);

test('a bad environment is one line that names every variable', async () => {
  const service = run({ PORT: 'eighty', ENJEU_LOG_LEVEL: 'loud' });
  expect(await service.ended).toBe(1);
  expect(service.output.stderr).toMatch(/^enjeu slow: bad configuration: PORT [^\n]*; ENJEU_LOG_LEVEL [^\n]*\n$/);
}, 30_000);

test('an error that nothing caught is one line and exit code 1', async () => {
  const service = run({ SLOW_READY: 'crashes' });
  expect(await service.ended).toBe(1);
  expect(service.output.stderr).toBe('enjeu slow: lost the lock\n');
}, 30_000);

test('a port in use is one line and exit code 1', async () => {
  const first = run();
  const { port } = new URL(await urlOf(first));
  const second = run({ PORT: port });
  expect(await second.ended).toBe(1);
  expect(second.output.stderr).toMatch(new RegExp(`^enjeu slow: port ${port} on 127.0.0.1 is in use[^\n]*\n$`));
  first.child.kill('SIGTERM');
  await first.ended;
}, 30_000);

test('log lines are JSON with the service’s name, and hold no secrets', async () => {
  const service = run({ SLOW_READY: 'logs', ENJEU_LOG_LEVEL: 'info' });
  const [line] = await service.saw(/^\{.*a request.*$/m);
  expect(JSON.parse(line)).toMatchObject({
    service: 'slow',
    context: 'slow',
    msg: 'a request',
    request: { headers: { host: 'enjeu' } },
  });
  expect(service.output.stdout).not.toMatch(/hunter2|InstanceLoader|RoutesResolver/);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
}, 30_000);
