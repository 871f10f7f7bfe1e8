import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { onCopy } from '../game/game-database.ts';
import type { Sample } from '../harness/row.ts';
import { LatenessLog } from '../lateness/lateness-log.ts';
import { COMMANDS_PER_SEC, CommandStream } from './command-stream.ts';
import { startGame } from './running-game.ts';
import { type Herd, herdPlayer, moveHerd } from './seed-herd.ts';

/** Time to start and to warm up before the first is due. */
const LEAD_MS = 6_000;

/** Feedings come due one after the other beside commands of other players: from the due time until a follower is told. */
export const runHealthy = (
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
    const commands = new CommandStream(
      kibble.homes,
      (number) => herdPlayer(calm, number % calm.count),
      COMMANDS_PER_SEC,
    );
    commands.start();
    const lateness = await log.sample();
    const sample = { ...lateness, ...commands.sample() };
    await commands.stop();
    await close();
    return sample;
  });
