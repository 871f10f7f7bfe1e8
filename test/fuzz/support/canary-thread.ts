// The canary's thread: twenty commands a second until it is stopped, then it reports their times.
import { setTimeout as pass } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createTokens } from '../../../server/room/tokens.ts';
import { RawClient } from './raw-client.ts';

export interface CanaryTimes {
  readonly commands: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const EVERY_MS = 50;
const { address, sub, jwtSecret } = workerData as Readonly<Record<string, string>> & { readonly jwtSecret: string };
const tokens = createTokens({ jwtSecret }, () => 'nobody');
const client = await RawClient.join({ address: address ?? '', tokens }, sub ?? '');
const tookMs: number[] = [];
let isStopped = false;

/** A command that goes all the way to Postgres and changes nothing: a repetition with a known reply. */
const play = async (): Promise<void> => {
  const startedAtMs = performance.now();
  const adopted = { commandId: 'canary-adopts', name: 'Birdie', species: 'cat' };
  const answer = await client.ask('home:adopt', adopted);
  if (answer?.status !== 0) throw new Error(`${sub} was not answered: ${answer?.body.toString('latin1')}`);
  tookMs.push(performance.now() - startedAtMs);
};

parentPort?.once('message', () => {
  isStopped = true;
});
// The first one also joins and adopts.
await play();
tookMs.length = 0;
parentPort?.postMessage('at work');
while (!isStopped) {
  await play();
  await pass(EVERY_MS);
}
await client.leave();
const sorted = tookMs.toSorted((a, b) => a - b);
const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
parentPort?.postMessage({ commands: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) });
