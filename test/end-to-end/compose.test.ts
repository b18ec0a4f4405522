import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const ENV = {
  ENJEU_SERVICE_TOKEN: 'x',
  ENJEU_DATABASE_PASSWORD: 'x',
  ENJEU_READER_PASSWORD: 'x',
  POSTGRES_PASSWORD: 'x',
  ENJEU_OIDC_ISSUER: 'https://issuer.example',
};

function composeConfig(env: Record<string, string>) {
  return spawnSync('docker-compose', ['-f', join(ROOT, 'docker-compose.yml'), 'config'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
  });
}

beforeAll(() => {
  if (spawnSync('docker-compose', ['version']).status === 0) return;
  spawnSync('sh', ['-c', 'apt-get update -qq && apt-get install -y -qq docker-compose'], { stdio: 'ignore' });
  if (spawnSync('docker-compose', ['version']).status !== 0) {
    throw new Error('docker-compose is needed to check docker-compose.yml: apt-get install docker-compose');
  }
}, 300_000);

test('docker-compose.yml is valid, and names each service and what it stands on', () => {
  const { status, stdout, stderr } = composeConfig(ENV);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  for (const service of ['build', 'postgres', 'kafka', 'wallet', 'issuance', 'history', 'gateway']) {
    expect(stdout).toMatch(new RegExp(`^  ${service}:$`, 'm'));
  }
});

test('a secret that is not given is asked for by its name', () => {
  const { ENJEU_SERVICE_TOKEN: _, ...without } = ENV;
  const { status, stderr } = composeConfig(without);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/ENJEU_SERVICE_TOKEN/);
});
