import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Everything that `/metrics` shows. One registry a process. */
export const metrics = new Registry();

let defaultsCollected = false;

/** Event loop, memory and CPU of this process; a second call changes nothing. */
export function collectProcessMetrics(): void {
  if (defaultsCollected) return;
  defaultsCollected = true;
  collectDefaultMetrics({ register: metrics });
}

/** The counter of this name; made at the first call. */
export function counter<Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) {
  return (
    (metrics.getSingleMetric(name) as Counter<Label> | undefined) ??
    new Counter({ name, help, labelNames: labels, registers: [metrics] })
  );
}

/** The gauge of this name; made at the first call. */
export function gauge<Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) {
  return (
    (metrics.getSingleMetric(name) as Gauge<Label> | undefined) ??
    new Gauge({ name, help, labelNames: labels, registers: [metrics] })
  );
}

/** The histogram of this name; made at the first call. Times are in seconds. */
export function histogram<Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
  buckets: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
) {
  return (
    (metrics.getSingleMetric(name) as Histogram<Label> | undefined) ??
    new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [metrics] })
  );
}
