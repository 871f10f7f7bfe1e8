import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { OpsIndex } from '../../shared/ops/ops-answers.ts';
import { runKibbleHere } from '../support/game/kibble-command.ts';

const indexOf = (generation: number, shards: number, wantedShards?: number): OpsIndex => ({
  generation,
  shards,
  wantedShards,
  isWhole: true,
  inside: undefined,
});

/** A server that replies to `reshard` with `asked`, and has the index `later` from then on. */
const serverWith = async (asked: OpsIndex, later: OpsIndex): Promise<string> => {
  let index = indexOf(1, 4);
  const server = createServer(({ method, url = '' }, response) => {
    const isAct = method === 'POST';
    if (isAct) index = later;
    const reply = isAct ? { isDryRun: false, answer: asked } : url.includes('overview') ? { pending: 0 } : index;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const reshard = (url: string, shards: string) =>
  runKibbleHere(['reshard', shards, '--url', url, '--token', 'any', '--yes', '--reason', 'more of them'], {});

it('a reshard ends with 0 when the index has the shards that it asked for', async () => {
  const { code, out } = await reshard(await serverWith(indexOf(1, 4, 64), indexOf(2, 64)), '64');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('generation 2, 64 shards') });
});

it('a reshard that another one has replaced says so, and ends with 1', async () => {
  const { code, err } = await reshard(await serverWith(indexOf(1, 4, 64), indexOf(2, 16)), '64');
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('the index has 16 shards, not 64: it was asked for another number meanwhile'),
  });
});
