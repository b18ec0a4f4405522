import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, Module } from '@nestjs/common';
import { listening, readConfig } from './config.ts';
import { runService } from './run.ts';
import { startService } from './service.ts';

@Module({})
class SlowModule {}

/** A service whose one route takes half a second, and that can be told how to fail. */
const start = async () => {
  const config = readConfig(listening(3199));
  const service = await startService(SlowModule, {
    name: 'slow',
    port: config.PORT,
    host: config.ENJEU_HOST,
    logLevel: config.ENJEU_LOG_LEVEL,
    configure: (app) => {
      app.getHttpAdapter().get('/slow', async () => pause(500, { slow: true }));
    },
    ready: async (stopping) => {
      if (process.env['SLOW_READY'] === 'fails') throw new Error('database enjeu does not exist\nsecond line');
      if (process.env['SLOW_READY'] === 'waits') await pause(60_000, undefined, { signal: stopping });
      if (process.env['SLOW_READY'] === 'hangs') await pause(60_000);
      if (process.env['SLOW_READY'] === 'logs') {
        const headers = { authorization: 'Bearer hunter2', cookie: 'hunter2', host: 'enjeu' };
        new Logger('slow').log({ request: { headers }, serviceToken: 'hunter2', password: 'hunter2' }, 'a request');
      }
      if (process.env['SLOW_READY'] === 'crashes') setTimeout(() => Promise.reject(new Error('lost the lock')), 10);
    },
    stop: [async () => void process.stdout.write('hook ran\n')],
  });
  process.stdout.write(`listening on ${service.url}\n`);
  return service;
};

await runService('slow', start, 1_000);
