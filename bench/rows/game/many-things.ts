import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createKibble, pets, silent, type WorksRules, works } from '../../../server/kibble.ts';
import type { AnyModule } from '../../../shared/module/module.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import { talkTo } from '../../game/running-game.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantiles } from '../../harness/spread.ts';

const TWO = 'a home of 2 things';
const MANY = 'a home of 200 things';
const rules = {
  things: { plot: { limit: 200 } },
  activities: { wheat: { on: ['plot'], workMs: '300d', gives: { wheat: 1 } } },
  cards: { water: { effect: 'cut', workMs: 1 } },
} satisfies WorksRules;

/** Whether the cost of a command depends on the whole home, or on the touched things. */
export const manyThings: Row = {
  name: 'many-things',
  about:
    'One player alone plays one card after the other on a thing that runs, on Postgres and the timing wheel, from the call to the answer: with two things at home, and with 200 that all run.',
  rounds: 5,
  figures: inUnit('ms', 'p50', 'p99'),
  targets: [{ of: MANY, figure: 'p50', atMost: 2.2 }],
  prepare: async ({ stores, isQuick }) => {
    const database = await stores.migrated();
    const pool = createPool({ url: database.url, max: 8, log: silentLog });
    const modules: readonly AnyModule[] = [pets(), works({ name: 'farm', rules })];
    const kibble = createKibble({ pool, modules, log: silent, playerId: ({ sub }) => sub });
    await kibble.lifecycle.boot();
    const say = talkTo(kibble);
    const CARDS = isQuick ? 100 : 1000;
    let players = 0;
    const measure = async (things: number): Promise<Sample> => {
      const playerId = `player-${++players}`;
      await say(playerId, 'home:grant', { items: { water: CARDS }, reason: 'bench' });
      let thing = '';
      for (let at = 0; at < things; at += 1) {
        thing = String(Object(await say(playerId, 'farm:place', { thing: 'plot' })).thing);
        await say(playerId, 'farm:start', { thing, activity: 'wheat' });
      }
      const tookMs: number[] = [];
      for (let card = 0; card < CARDS; card += 1) {
        const startedAtMs = systemClock.monotonicMs();
        await say(playerId, 'farm:use-card', { thing, card: 'water' });
        tookMs.push(systemClock.monotonicMs() - startedAtMs);
      }
      return quantiles(tookMs, 'p50', 'p99');
    };
    return {
      contenders: [
        { name: TWO, measure: () => measure(2) },
        { name: MANY, measure: () => measure(200) },
      ],
      dispose: async () => {
        await kibble.lifecycle.shutdown();
        await pool.end();
      },
    };
  },
};
