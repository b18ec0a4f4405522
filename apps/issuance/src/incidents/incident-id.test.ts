import { UUID } from '#service';
import { incidentIdOf } from './incident-id.ts';

const playId = '0197f3c0-1234-7abc-8def-0123456789ab';

test('an incident has one id, however often it is raised, and another kind or subject has another', () => {
  const id = incidentIdOf('script-differs', playId);
  expect(id).toMatch(UUID);
  expect(id[14]).toBe('8');
  expect(incidentIdOf('script-differs', playId)).toBe(id);
  const others = [incidentIdOf('script-rejected', playId), incidentIdOf('script-differs', `${playId}x`)];
  expect(new Set([id, ...others, incidentIdOf('script', `-differs${playId}`)]).size).toBe(4);
});
