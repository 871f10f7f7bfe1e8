import { type HomeProcess, holdRooms, joinHome, startHomes } from '../../game/rooms.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantiles } from '../../harness/spread.ts';

const FEW = '100 rooms open';
const MANY = '10,000 rooms open';
const JOINS = 300;

/** Whether a join searches the rooms of other players. */
export const join: Row = {
  name: 'join',
  about: `A new player joins, one after the other, ${JOINS} in all, while others sit in rooms of their own: from the call of the SDK until it has the room. The tokens were signed before; the others' clients are in a process of their own.`,
  rounds: 3,
  figures: inUnit('ms', 'p50', 'p99'),
  targets: [{ of: MANY, figure: 'p50', against: FEW, atMost: 1.5 }],
  quick: { rounds: 2, guarded: [{ of: MANY, figure: 'p50', against: FEW, better: 'less' }] },
  prepare: async ({ stores, isQuick }) => {
    const postgresUrl = await stores.postgresUrl();
    const few = await openWith(postgresUrl, isQuick ? 10 : 100);
    const many = await openWith(postgresUrl, isQuick ? 500 : 10_000);
    const joins = isQuick ? 60 : JOINS;
    return {
      contenders: [
        { name: FEW, measure: () => timesOf(few.homes, joins) },
        { name: MANY, measure: () => timesOf(many.homes, joins) },
      ],
      dispose: async () => {
        for (const { homes, letGo } of [few, many]) {
          await letGo();
          await homes.stop();
        }
      },
    };
  },
};

const openWith = async (postgresUrl: string, rooms: number) => {
  const homes = await startHomes(postgresUrl);
  return { homes, letGo: await holdRooms(homes.address, await homes.tokens(rooms)) };
};

const WARM_UP = 20;

const timesOf = async (homes: HomeProcess, joins: number): Promise<Sample> => {
  const tookMs: number[] = [];
  for (const [at, token] of (await homes.tokens(WARM_UP + joins)).entries()) {
    const startedAtMs = performance.now();
    const room = await joinHome(homes.address, token);
    if (at >= WARM_UP) tookMs.push(performance.now() - startedAtMs);
    await room.leave();
  }
  return quantiles(tookMs, 'p50', 'p99');
};
