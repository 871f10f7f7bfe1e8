import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { onCopy } from '../../game/game-database.ts';
import { calmCommands, startGame } from '../../game/running-game.ts';
import { type Herd, herdPlayer, moveHerd, seedHerd } from '../../game/seed-herd.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { LatenessLog } from '../../timers/lateness-log.ts';

const WHEEL = 'on the wheel';
const REDIS = 'on Redis';
const DUE_PER_SEC = 100;

/** How late timers are on a good day. */
export const healthy: Row = {
  name: 'healthy',
  about: `${DUE_PER_SEC} feedings a second come due, each with its effect (xp, food, the next feeding, events), beside 200 commands a second of other players, for 20 seconds: from the due time until it is committed and followers are told; from when a command should be sent until it is answered.`,
  rounds: 2,
  figures: inUnit('ms', 'p50', 'p99', 'max', 'command p50', 'command p99', 'command max'),
  targets: [WHEEL, REDIS].flatMap((of) => [
    { of, figure: 'p99', atMost: 50 },
    { of, figure: 'max', atMost: 500 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const seeded = await stores.migrated();
    const redisUrl = await stores.redisUrl();
    const everyMs = 1000 / DUE_PER_SEC;
    const due: Herd = { name: 'due', count: (isQuick ? 2 : 20) * DUE_PER_SEC, dueAtMs: Date.now(), everyMs };
    const calm: Herd = { name: 'calm', count: 8_000, dueAtMs: Date.now() + 3 * 3_600_000, everyMs };
    for (const each of [due, calm]) await seedHerd(seeded.url, each);
    return {
      contenders: [
        { name: WHEEL, measure: () => runHealthy(seeded, { due, calm, redis: undefined }) },
        { name: REDIS, measure: () => runHealthy(seeded, { due, calm, redis: redisUrl }) },
      ],
    };
  },
};

/** Time to start and warm up before the first is due. */
const LEAD_MS = 6_000;

/** Feedings come due beside other players' commands: from the due time until a follower receives the event. */
const runHealthy = (
  seeded: TestDatabase,
  { due, calm, redis }: { readonly due: Herd; readonly calm: Herd; readonly redis: string | undefined },
): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const firstAtMs = Date.now() + LEAD_MS;
    await moveHerd(url, due, firstAtMs);
    const { kibble, close } = await startGame(url, redis);
    const atMs = Array.from({ length: due.count }, (_, number) => firstAtMs + number * due.everyMs);
    const log = new LatenessLog({ atMs, countsFromMs: firstAtMs });
    for (const number of atMs.keys()) {
      kibble.service.follow(herdPlayer(due, number), ({ events }) => {
        for (const event of events) if (event.type === 'feeding-completed') log.note(event.at);
      });
    }
    const commands = calmCommands(kibble, calm);
    try {
      const lateness = await log.sample();
      return { ...lateness, ...(await commands.stop()) };
    } finally {
      await commands.end();
      await close();
    }
  });
