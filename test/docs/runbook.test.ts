// An operator with a runbook has no time to look for the right name of a command.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { NotRetryable } from '../../server/kibble.ts';
import { runKibbleHere } from '../support/game/kibble-command.ts';
import { type OpsServer, startOpsServer, tokenOf, why } from '../support/game/ops-server.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const commands = [...new Set([...page.matchAll(/`kibble ([^`]+)`/g)].map(([, command = '']) => command))];
const gift = why({ filter: {}, items: { snack: 1 }, perSecond: 1 });
/** Values for the parts that an operator fills in. */
const filled: Readonly<Record<string, string>> = {
  '<playerId>': 'ann',
  '<thing>': 'ann~p2',
  '<kind>': 'order',
  '<job>': gift.commandId,
  '"..."': 'a trial',
};

let server: OpsServer;
beforeAll(async () => {
  const fire = () => Promise.reject(new NotRetryable('no such order'));
  server = await startOpsServer(inject('postgresUrl'), { kinds: [{ kind: 'order', fire }] });
  await server.play('ann', { type: 'home:adopt', name: 'Rex', species: 'dog' });
  await server.kibble.timers.schedule([{ kind: 'order', owner: 'ann', subject: '1', dueAtMs: server.clock.nowMs() }]);
  await server.kibble.runDue();
  await server.ask('createJob', {}, gift);
});
afterAll(() => server.close());

const run = (command: string) => {
  const words = (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => filled[word] ?? word);
  const isRead = /^(status|verify|\w+ (ls|show|explain))/.test(command);
  const why = isRead || words.includes('--reason') || words.includes('--yes') ? [] : ['--reason', 'a trial', '--yes'];
  const env = { KIBBLE_URL: server.address, KIBBLE_TOKEN: tokenOf('admin'), DATABASE_URL: server.database.url };
  return runKibbleHere([...words, ...why], env);
};

it.each(commands)(
  'kibble %s is accepted by a server, as the runbook writes it',
  { timeout: 60_000 },
  async (command) => {
    const { code, out, err } = await run(command);
    switch (command) {
      case 'reshard 32':
        // On the timing wheel there is nothing to do: the server says so, and not that the command is wrong.
        return expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/\[[a-z-]+\/[a-z-]+\]/) });
      case 'status':
        // A dead timer is something found.
        return expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('dead 1') });
      default:
        return expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    }
  },
);

it('lists commands at all', () => {
  expect(commands).toEqual(expect.arrayContaining(['status', 'verify', 'rebuild', 'dead ls', 'dead revive <kind>']));
});

describe('the table of failures', () => {
  const root = path.join(import.meta.dirname, '../..');
  const table = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);
  const rows = table.map((line) => {
    const cells = line.split(' | ');
    const [, file = '', title = ''] = /^`([^`]+)`: (.*?) \|$/.exec(cells.at(-1) ?? '') ?? [];
    return [cells[0]?.slice(2) ?? '', file, title] as const;
  });

  it.each(rows)('%s: names a test that exists', (_, file, title) => {
    const source = readFileSync(path.join(root, file), 'utf8');
    const titles = [
      ...source.matchAll(/\bit(?:\.(?:skipIf|each|for)\([^)]*\)+)?\(\s*(?:'([^'\n]+)'|"([^"\n]+)")/g),
    ].map(([, one, other]) => one ?? other);
    expect(titles.some((found) => found?.includes(title))).toBe(true);
  });
});
