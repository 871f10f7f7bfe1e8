import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Modules } from '../../../server/domain/modules.ts';
import type { RulesInForce } from '../../../server/home/model/rules-in-force.ts';
import { LoadedRules } from '../../../server/home/rules/rules.ts';
import { runBatch } from '../../../server/home/write/batch.ts';
import { mergeIn } from '../../../server/home/write/merge-in.ts';
import { works } from '../../../server/settings/rules.ts';
import { newHome } from '../../../shared/home.ts';
import { silentLog } from '../../support/log/logs.ts';

const chance = { bits: () => 0, epoch: 'e' };
/** A hut costs as much gold as the number of its rules says, and a new player gets as much. */
const costing = (gold: number) => ({
  things: { hut: { takes: { gold } } },
  activities: {},
  starter: { items: { gold } },
});
const modules = new Modules([works({ name: 'town', rules: costing(0) })], [], ['gold']);

/** Two nodes read what one table has; each change is in force from its commit on. */
const nodesOn = (table: { newest: number }) => {
  const version = (number: number) => ({
    ...{ number, module: 'town', version: number, config: costing(number), source: 'operator' as const },
    ...{ by: 'dee', reason: 'a sale', atMs: 0 },
  });
  const store = {
    newest: async () => table.newest,
    at: async (number: number) => ({ versions: number === 0 ? [] : [version(number)], items: [] }),
  };
  return [0, 1].map(() => new LoadedRules({ modules, store, log: silentLog }));
};

/** A new player's price of a hut on this node. `changes`: rules that are committed while the batch is tried again. */
const paid = async (rules: RulesInForce, table: { newest: number }, changes: number[]): Promise<[number, number]> => {
  let readAt = 0;
  const { judged } = await runBatch({
    rules,
    players: [{ playerId: 'ann', orders: [order] }],
    waits: false,
    limits: { eventsPerHome: 100, eventsPerBatch: 100 },
    measure: undefined,
    save: async (_request, decide) => {
      readAt = table.newest;
      const rich = { ...newHome('ann'), items: { gold: 1000 }, opened: ['town'], seq: 1, lastAtMs: 1 };
      const { value } = decide({ nowMs: 1, homes: new Map([['ann', rich]]), answered: [], rules: readAt, chance });
      table.newest += changes.pop() ?? 0;
      return { index: { put: [], remove: [] }, value };
    },
  });
  return [readAt, 1000 - (judged.get('ann')?.commit.home.items.gold ?? 0)];
};

const order = { playerId: 'ann', commandId: 'c', command: { type: 'town:place', thing: 'hut' } as never };

it('a command is decided by the rules whose number its own transaction read, on any node, under any changes', async () => {
  const step = fc.record({
    node: fc.constantFrom(0, 1),
    rulesBefore: fc.nat(3),
    during: fc.array(fc.nat(2), { maxLength: 3 }),
    looks: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const table = { newest: 0 };
      const nodes = nodesOn(table);
      for (const { node, rulesBefore, during, looks } of steps) {
        table.newest += rulesBefore;
        const rules = nodes[node] as LoadedRules;
        if (looks) await rules.tick();
        const [read, cost] = await paid(rules, table, [...during]);
        expect(cost).toBe(read);
      }
    }),
  );
});

it('a merge opens homes by the rules whose number its transaction read, also by new ones', async () => {
  const table = { newest: 0 };
  const [rules = expect.unreachable()] = nodesOn(table);
  // After the rounds that settled both homes by the rules before.
  table.newest = 7;
  const older = (playerId: string) =>
    [playerId, { ...newHome(playerId), seq: 1, lastAtMs: 1, opened: playerId === 'guest' ? ['town'] : [] }] as const;
  const { merged } = await mergeIn({
    ...{ rules, measure: undefined, tx: undefined as never },
    ...{ guestId: 'guest', accountId: 'ann', commandId: 'c', by: 'dee', reason: 'asked for' },
    store: {
      changeIn: async (_tx, { playerIds }, decide) => {
        const homes = new Map(playerIds.map(older));
        const { value } = decide({ nowMs: 1, homes, answered: [], rules: table.newest, chance });
        return { index: { put: [], remove: [] }, value };
      },
    },
  });
  expect(merged.account.commit.events[0]).toMatchObject({ type: 'module-opened', items: { gold: 7 } });
});
