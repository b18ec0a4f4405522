import { createHash } from 'node:crypto';

/**
 * The id of an incident that is raised once for its kind and subject: a UUID of version 8 (RFC 9562 §5.8) made from
 * both, so that whoever decides it again raises the same.
 */
export function incidentIdOf(kind: string, subject: string): string {
  const bytes = createHash('sha256').update(`enjeu-incident/1\n${kind}\n${subject}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
