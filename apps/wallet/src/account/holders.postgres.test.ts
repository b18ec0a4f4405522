import { randomUUID } from 'node:crypto';
import type { EventSourced } from '#service';
import { postgresWallet } from '../../test/postgres-wallet.ts';
import { Holder, Holders } from './holders.ts';
import { OpenAccount, OpenAccountHandler } from './open-account.ts';

let wallet: Awaited<ReturnType<typeof postgresWallet>>;
let holders: Holders;
let accounts: OpenAccountHandler;

beforeAll(async () => {
  wallet = await postgresWallet();
  holders = new Holders(wallet);
  accounts = new OpenAccountHandler(wallet as unknown as EventSourced, holders);
});
afterAll(() => wallet.close());

const identity = () => ({ issuer: 'https://identity.example', subject: `demo-${randomUUID()}` });
const opened = async (playerId: string) =>
  (await wallet.log.read(0, 10_000)).filter(({ stream }) => stream === `account-${playerId}`);

test('a holder who opens an account gets a random player id, and the same one ever after', async () => {
  const who = identity();
  expect(await holders.find(who)).toBeNull();
  const first = await accounts.execute(new OpenAccount(who));
  expect(first).toEqual({ playerId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/), opened: true });
  expect(await accounts.execute(new OpenAccount(who))).toEqual({ playerId: first.playerId, opened: false });
  expect(await holders.find(who)).toBe(first.playerId);
});

test('the same subject at another issuer is somebody else', async () => {
  const who = identity();
  const first = await accounts.execute(new OpenAccount(who));
  const other = await accounts.execute(new OpenAccount({ ...who, issuer: 'https://other.example' }));
  expect(other.playerId).not.toBe(first.playerId);
});

test('who opens an account many times at once gets one, opened once', async () => {
  const who = identity();
  const answers = await Promise.all(Array.from({ length: 20 }, () => accounts.execute(new OpenAccount(who))));
  expect(new Set(answers.map(({ playerId }) => playerId)).size).toBe(1);
  expect(answers.filter(({ opened }) => opened)).toHaveLength(1);
  expect(await opened(answers[0]!.playerId)).toMatchObject([{ type: 'AccountOpened', version: 1 }]);
});

test('an opening that died between the holder and the account is completed by the next one', async () => {
  const who = identity();
  const playerId = await holders.findOrCreate(who);
  expect(await opened(playerId)).toEqual([]);
  expect(await accounts.execute(new OpenAccount(who))).toEqual({ playerId, opened: true });
});

test('a holder can be erased; the log keeps an id that belongs to nobody', async () => {
  const who = identity();
  const { playerId } = await accounts.execute(new OpenAccount(who));
  await wallet.dataSource.getRepository(Holder).delete({ playerId });
  expect(await holders.find(who)).toBeNull();
  const text = JSON.stringify(await opened(playerId));
  expect(text).toContain(playerId);
  expect(text).not.toContain(who.subject);
});
