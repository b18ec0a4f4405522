import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time used so far, in seconds, and memory held, in MiB (shared pages counted once over all their holders). */
export interface Usage {
  readonly cpuSeconds: number;
  readonly memoryMib: number;
}

/** Usage of each named process with its descendants, PostgreSQL's many; those that are named themselves count once. */
export function usageOf(pids: Readonly<Record<string, number>>): Record<string, Usage> {
  const children = childrenByParent();
  const named = new Set(Object.values(pids));
  const family = (pid: number): number[] => [
    pid,
    ...(children.get(pid) ?? []).filter((child) => !named.has(child)).flatMap(family),
  ];
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => {
      const members = family(pid);
      return [
        name,
        { cpuSeconds: sum(members.map(cpuSeconds)), memoryMib: sum(members.map(proportionalKib)) / 1024 },
      ] as const;
    }),
  );
}

/** CPU time of the whole machine so far, in seconds, idle time left out. */
export function machineCpuSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS_A_SECOND;
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statFields(Number(name))[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_A_SECOND;
}

/** The fields of /proc/<pid>/stat after the command's name; empty for a process that is gone. */
function statFields(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function proportionalKib(pid: number): number {
  try {
    return Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
