import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { runKibbleHere } from '../support/game/kibble-command.ts';

/** What `kibble search` prints of this answer. */
const printed = async (answer: OpsAnswers['search']): Promise<string> => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (await runKibbleHere(['search', 'an', '--url', url], { KIBBLE_TOKEN: 'any' })).out;
};

it('says below the hits of a search that there are more', async () => {
  const hits = [{ type: 'player', id: 'ann', playerId: 'ann', module: undefined, label: 'ann' }] as const;
  expect(await printed({ hits, isCut: true })).toMatch(/ann.*\nthere are more/);
  expect(await printed({ hits, isCut: false })).not.toContain('more');
});
