import { Logger } from '@nestjs/common';
import type { RaiseIncidentRequest } from '#contracts';
import { InternalProblem } from '#service';
import { Away } from '../peers/away.ts';
import { DifferingScripts } from './differing-scripts.ts';

Logger.overrideLogger(false);

/** An issuance that answers as a test says: null for as it should. */
function issuance() {
  const peer = {
    told: [] as RaiseIncidentRequest[],
    answers: [] as (() => void)[],
    failure: null as Error | null,
    held: false,
    async tell(incident: RaiseIncidentRequest) {
      peer.told.push(incident);
      if (peer.held) await new Promise<void>((resolve) => peer.answers.push(resolve));
      if (peer.failure !== null) throw peer.failure;
    },
  };
  return peer;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const subjects = (peer: { told: RaiseIncidentRequest[] }) => peer.told.map(({ subject }) => subject);

test('a play is told of once, however often it is shown, also while it is being told of', async () => {
  const peer = issuance();
  peer.held = true;
  const scripts = new DifferingScripts(peer);
  scripts.shown('a', 'why');
  scripts.shown('a', 'why');
  await turn();
  peer.answers.shift()?.();
  await turn();
  scripts.shown('a', 'why');
  await turn();
  expect(peer.told).toEqual([{ kind: 'script-differs', subject: 'a', detail: 'why' }]);
});

test('one is told of at a time', async () => {
  const peer = issuance();
  peer.held = true;
  const scripts = new DifferingScripts(peer);
  for (const playId of ['a', 'b', 'c']) scripts.shown(playId, 'why');
  for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
    await turn();
    expect(subjects(peer)).toEqual(expected);
    peer.answers.shift()?.();
  }
});

test('while issuance is away nothing waits for it, and everything is told at its next showing', async () => {
  const peer = issuance();
  const scripts = new DifferingScripts(peer);
  peer.failure = new Away('issuance', null);
  for (const playId of ['a', 'b', 'c']) scripts.shown(playId, 'why');
  await turn();
  expect(subjects(peer)).toEqual(['a']);
  peer.failure = null;
  for (const playId of ['c', 'a', 'b']) scripts.shown(playId, 'why');
  await turn();
  expect(subjects(peer)).toEqual(['a', 'c', 'a', 'b']);
});

test('what issuance refuses keeps nobody else from being told of', async () => {
  const peer = issuance();
  const scripts = new DifferingScripts(peer);
  peer.failure = new InternalProblem(400, 'body-invalid', '', {});
  for (const playId of ['a', 'b']) scripts.shown(playId, 'why');
  await turn();
  expect(subjects(peer)).toEqual(['a', 'b']);
});

test('no more wait, and no more are remembered, than there is room for', async () => {
  const peer = issuance();
  const scripts = new DifferingScripts({ tell: (incident) => peer.tell(incident), remembered: 2, waiting: 3 });
  peer.held = true;
  for (const playId of ['a', 'b', 'c', 'd', 'e']) scripts.shown(playId, 'why');
  for (let n = 0; n < 6; n++) {
    await turn();
    peer.answers.shift()?.();
  }
  expect(subjects(peer)).toEqual(['a', 'b', 'c']);
  peer.held = false;
  for (const playId of ['b', 'c', 'd', 'a']) scripts.shown(playId, 'why');
  await turn();
  expect(subjects(peer)).toEqual(['a', 'b', 'c', 'd', 'a']);
});
