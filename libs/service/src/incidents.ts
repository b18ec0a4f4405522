import { Logger } from '@nestjs/common';
import { counter } from './metrics.ts';

/** What every service does beside the event when it raises an incident: a counter by kind, and a line in its log. */
export function reportIncident(
  service: string,
  { kind, subject, detail }: { readonly kind: string; readonly subject: string; readonly detail: string },
): void {
  counter('enjeu_incidents_total', 'Incidents raised.', ['kind']).inc({ kind });
  new Logger(service).error(`incident ${kind} (${subject}): ${detail}`);
}
