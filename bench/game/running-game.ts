import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { random } from '../../server/adapter/machine/random.ts';
import type { GameHomes } from '../../server/home/game-homes.ts';
import { createKibble, type Kibble, type Reply } from '../../server/kibble.ts';
import { silentLog } from '../../test/support/log/logs.ts';
import type { Sample } from '../harness/row.ts';
import { quantiles } from '../harness/spread.ts';
import { SCHEMA } from '../harness/stores.ts';
import { poolOf } from './game-database.ts';
import { type Herd, herdPlayer } from './seed-herd.ts';

/** As a server has by default. */
const CONNECTIONS = 16;

interface RunningGame {
  readonly kibble: Kibble;
  readonly pool: Pool;
  close(): Promise<void>;
}

/** All parts of a game's process without its rooms, started. Without `redis` on the wheel. */
export const startGame = async (url: string, redis: string | undefined): Promise<RunningGame> => {
  const pool = poolOf(url, CONNECTIONS);
  const kibble = createKibble({
    pool,
    schema: SCHEMA,
    log: silentLog,
    playerId: ({ sub }: { sub: string }) => sub,
    ...(redis === undefined ? {} : { redis, redisPrefix: random.uniqueName() }),
  });
  await kibble.lifecycle.boot();
  const close = async (): Promise<void> => {
    await kibble.lifecycle.shutdown();
    await pool.end();
  };
  return { kibble, pool, close };
};

const TICK_MS = 5;

/** Sends commands one after the other, each with an id of its own; throws if one is refused. */
export const talkTo = ({ homes }: Pick<Kibble, 'homes'>) => {
  let commands = 0;
  return async (playerId: string, type: string, payload: object): Promise<Reply> => {
    const body = { commandId: `command-${++commands}`, ...payload };
    const [outcome] = await homes.handle([{ playerId, type, payload: body }]);
    if (!outcome?.ok) throw new Error(outcome?.error.code);
    return outcome.value;
  };
};

/** The load beside the measured work. */
const COMMANDS_PER_SEC = 200;

/** Commands of the players of a herd that is not due. Started. */
export const calmCommands = ({ homes }: Kibble, calm: Herd): CommandStream => {
  const commands = new CommandStream(homes, (number) => herdPlayer(calm, number % calm.count), COMMANDS_PER_SEC);
  commands.start();
  return commands;
};

/** Speed-up cards of one player after another, so many a second, whether replies come or not. */
export class CommandStream {
  readonly #homes: Pick<GameHomes, 'handle'>;
  readonly #playerOf: (number: number) => string;
  readonly #perSec: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #tookMs: number[] = [];
  #asked = 0;
  /** Of the first command without an accepted reply. */
  #fault: Error | undefined;

  constructor(homes: Pick<GameHomes, 'handle'>, playerOf: (number: number) => string, perSec: number) {
    this.#homes = homes;
    this.#playerOf = playerOf;
    this.#perSec = perSec;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Begins to count. */
  reset(): void {
    this.#tookMs = [];
  }

  /** Sends no more; waits for the last replies. */
  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** From the planned time of a command until its reply: ends first. Throws if one failed or was refused. */
  async stop(): Promise<Sample> {
    await this.end();
    if (this.#fault !== undefined) throw this.#fault;
    const { p50, p99, max } = quantiles(this.#tookMs, 'p50', 'p99', 'max');
    return { 'command p50': p50, 'command p99': p99, 'command max': max };
  }

  async #run(): Promise<void> {
    const startedAtMs = performance.now();
    const answers: Promise<void>[] = [];
    while (!this.#stopping.signal.aborted) {
      await sleep(TICK_MS);
      const wanted = Math.floor(((performance.now() - startedAtMs) * this.#perSec) / 1000);
      while (this.#asked < wanted) answers.push(this.#ask(startedAtMs + (++this.#asked * 1000) / this.#perSec));
    }
    await Promise.all(answers);
  }

  async #ask(atMs: number): Promise<void> {
    const number = this.#asked;
    const playerId = this.#playerOf(number);
    const payload = { commandId: `card-${number}-of-the-bench`, petId: `${playerId}~p2`, card: 'speed-up' };
    try {
      const [outcome] = await this.#homes.handle([{ playerId, type: 'home:use-card', payload }]);
      if (!outcome?.ok) throw new Error(`a command was refused: ${JSON.stringify(outcome)}`);
      this.#tookMs.push(performance.now() - atMs);
    } catch (error) {
      this.#fault ??= error instanceof Error ? error : new Error(String(error));
    }
  }
}
