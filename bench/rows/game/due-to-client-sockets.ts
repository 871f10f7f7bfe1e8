import { setTimeout as sleep } from 'node:timers/promises';
import type { Room } from '@colyseus/sdk';
import type { EventsMessage } from '../../../shared/pets/protocol.ts';
import { type HomeProcess, joinAll, joinHome, leaveAll, startHomes } from '../../game/rooms.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantile, quantiles } from '../../harness/spread.ts';
import { epochClock } from '../../timers/lateness-log.ts';

const ONE = 'one process';
const PLAYERS = 1000;
/** Each player's pet eats for this time, again and again: together a hundred come due a second. */
const MEAL_MS = 10_000;
/** With fewer events than this some players got none, or very late ones that are not among the figures. */
const LEAST_SHARE = 0.9;

const rules = {
  limits: { autoFeedsPerPet: 100 },
  starter: { items: { meal: 1000, 'auto-feed': 100 } },
  foods: { meal: { workMs: MEAL_MS, xp: 1 } },
  cards: { 'auto-feed': { effect: 'repeat', times: 1 } },
};

/** How late the players of one process see the effects of timers, without any request. */
export const dueToClientSockets: Row = {
  name: 'due-to-client-sockets',
  about: `${PLAYERS.toLocaleString('en')} players on sockets of one process (timing wheel), the SDK of all of them in another: a hundred feedings a second come due, each followed by the next (auto-feed), and nobody asks for anything. From the due time until the event is in the hands of the SDK.`,
  rounds: 3,
  figures: inUnit('ms', 'p50', 'p99', 'max'),
  targets: [{ of: ONE, figure: 'p99', atMost: 50 }],
  prepare: async ({ stores, isQuick }) => {
    const homes = await startHomes(await stores.postgresUrl(), rules);
    const late = new Lateness();
    const players = isQuick ? 100 : PLAYERS;
    const rooms = await seat(homes, late, players);
    return {
      contenders: [{ name: ONE, measure: () => late.measure(players, isQuick ? 3_000 : 2 * MEAL_MS) }],
      dispose: async () => {
        await leaveAll(rooms);
        await homes.stop();
      },
    };
  },
};

/** The events during the measurement. */
class Lateness {
  #lateMs: number[] | undefined;
  #epochMs = epochClock();

  readonly hear = ({ events }: EventsMessage): void => {
    const nowMs = this.#epochMs();
    for (const event of events) if (event.type === 'feeding-completed') this.#lateMs?.push(nowMs - event.at);
  };

  async measure(players: number, durationMs: number): Promise<Sample> {
    const lateMs: number[] = [];
    this.#epochMs = epochClock();
    this.#lateMs = lateMs;
    await sleep(durationMs);
    this.#lateMs = undefined;
    if (!(quantile(lateMs, 0) >= 0)) throw new Error('a timer was early, or none fired');
    const wanted = (players * durationMs) / MEAL_MS;
    if (lateMs.length < LEAST_SHARE * wanted) throw new Error(`${lateMs.length} events came, not ${wanted}`);
    return quantiles(lateMs, 'p50', 'p99', 'max');
  }
}

/** The first meals begin evenly over one meal's time; all others follow from them. */
const seat = async (homes: HomeProcess, late: Lateness, players: number): Promise<readonly Room[]> => {
  const tokens = await homes.tokens(players);
  const eaters: { room: Room; petId: string }[] = [];
  await joinAll(tokens, async (token, at) => {
    const room = await joinHome(homes.address, token);
    room.onMessage('home:events', late.hear);
    const { petId } = await room.request('home:adopt', { commandId: `adopt-it-${at}`, name: 'Rex', species: 'dog' });
    eaters.push({ room, petId });
    return room;
  });
  const startMs = performance.now();
  for (const [at, { room, petId }] of eaters.entries()) {
    await sleep(Math.max(0, startMs + (at * MEAL_MS) / players - performance.now()));
    // In order, but not awaited: the clock decides the next player's turn.
    void room.request('home:feed', { commandId: `feed-it-${at}`, petId, food: 'meal' });
    void room.request('home:use-card', { commandId: `chain-it-${at}`, petId, card: 'auto-feed', count: 100 });
  }
  return eaters.map(({ room }) => room);
};
