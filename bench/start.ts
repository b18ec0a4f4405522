import { setTimeout as pause } from 'node:timers/promises';
import { figure, table } from './figures.ts';
import { BenchPlatform } from './platform.ts';
import { usageOf } from './processes.ts';

const SETTLE_MS = 8_000;

/** How long the platform takes until it is ready, at first and with its data, and what it holds when idle. */
export async function benchStart(): Promise<void> {
  const platform = new BenchPlatform(20);
  try {
    const first = await platform.start('postgres');
    await platform.stop();
    const second = await platform.start('postgres');
    await pause(SETTLE_MS);
    const before = usageOf(platform.pids());
    await pause(SETTLE_MS);
    const after = usageOf(platform.pids());
    const rows = Object.entries(after).map(([name, { memoryMib, cpuSeconds }]) => [
      name,
      figure(memoryMib),
      figure(((cpuSeconds - (before[name]?.cpuSeconds ?? 0)) * 100_000) / SETTLE_MS),
    ]);
    const total = Object.values(after).reduce((sum, { memoryMib }) => sum + memoryMib, 0);
    console.log(`first start: ready after ${figure(first / 1000)} s (goal 60)`);
    console.log(`start on its data: ready after ${figure(second / 1000)} s (goal 20)`);
    console.log(`idle: ${figure(total)} MiB together (goal below ${figure(1.6 * 1024)})\n`);
    console.log(table(['process', 'memory, MiB', 'CPU when idle, %'], rows));
  } finally {
    await platform.dispose();
  }
}
