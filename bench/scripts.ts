import { figure, median, table } from './figures.ts';
import { BenchPlatform } from './platform.ts';
import { cpuMsAPlay, PLAYERS, platformTarget, QUICK, round, WHOLE } from './plays.ts';

const IN_FLIGHT = [32, 256] as const;

/**
 * What rendering, judging and showing scripts adds to the cost of a play: platforms with and without them, in turn, at
 * the same numbers in flight. Goal: at most 15 %.
 */
export async function benchScripts(args: readonly string[]): Promise<void> {
  const load = args.includes('--quick') ? QUICK : WHOLE;
  const turns = args.includes('--quick') ? 1 : 2;
  const cpu = new Map<string, number[]>();
  const rates = new Map<string, number[]>();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const scripts of [false, true]) {
      const platform = new BenchPlatform(PLAYERS, scripts);
      try {
        await platform.start('postgres');
        const target = await platformTarget(platform);
        await round(target, 64, { ...load, warmUpMs: 0, measureMs: load.heatUpMs });
        for (const inFlight of IN_FLIGHT) {
          for (let n = 0; n < load.rounds; n += 1) {
            const one = await round(target, inFlight, load);
            const key = `${scripts} ${inFlight}`;
            cpu.set(key, [...(cpu.get(key) ?? []), cpuMsAPlay(one)]);
            rates.set(key, [...(rates.get(key) ?? []), one.playsPerSecond]);
          }
        }
      } finally {
        await platform.dispose();
      }
    }
  }
  const of = (figures: Map<string, number[]>, scripts: boolean, inFlight: number) =>
    median(figures.get(`${scripts} ${inFlight}`) ?? []);
  const rows = IN_FLIGHT.map((inFlight) => {
    const [before, after] = [of(cpu, false, inFlight), of(cpu, true, inFlight)];
    const [slower, faster] = [of(rates, true, inFlight), of(rates, false, inFlight)];
    return [
      String(inFlight),
      figure(before),
      figure(after),
      `${figure((after / before - 1) * 100)} %`,
      figure(faster),
      figure(slower),
    ];
  });
  const headings = ['in flight', 'CPU a play without, ms', 'with', 'added (goal 15 %)', 'plays/s without', 'with'];
  console.log(table(headings, rows));
}
