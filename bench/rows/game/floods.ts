import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { type ServerProcess, startServer } from '../../../examples/support/server-process.ts';
import { random } from '../../../server/adapter/machine/random.ts';
import { joinHome } from '../../../test/support/game/player.ts';
import { atPace } from '../../harness/load.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantiles } from '../../harness/spread.ts';

const CALM = 'no flood';
const floods = { 'a flood of messages': 'messages', 'of joins': 'joins', 'of connections': 'connections' } as const;
const RUN_MS = 20_000;

/** The effect of abusers on an honest player. */
export const flooded: Row = {
  name: 'floods',
  about: `One server process with all its limits, on Postgres. An honest player sends 20 commands a second, each a transaction, for ${RUN_MS / 1_000} seconds: from the planned time of sending to the answer in the SDK; a stall of more than two seconds ends the row. Beside it 32 abusers from 16 addresses, in a process of low priority on the same machine: messages (32 players that send four times what a player may, and now and then so much that they are thrown out), joins (guests, good and made-up tokens, as fast as they are answered), connections (WebSockets without a seat, up to 2,048 requests that never end). Memory of the server’s process at the end; its growth since a first flood of four seconds.`,
  rounds: 2,
  figures: [...inUnit('ms', 'p50', 'p99', 'max'), { name: 'abuse', unit: '/s' }, ...inUnit('MB', 'memory', 'growth')],
  targets: Object.keys(floods).flatMap((of) => [
    { of, figure: 'p99', atMost: 100 },
    { of, figure: 'growth', atMost: 64 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const database = await stores.migrated();
    const forMs = isQuick ? 3_000 : RUN_MS;
    const measured = (flood: (typeof floods)[keyof typeof floods] | undefined) => async () => {
      const server = await startVictimServer(database.url);
      try {
        return await runCanary(server, { flood, forMs });
      } finally {
        await server.stop();
      }
    };
    return {
      contenders: [
        { name: CALM, measure: measured(undefined) },
        ...Object.entries(floods).map(([name, flood]) => ({ name, measure: measured(flood) })),
      ],
    };
  },
};

interface CanaryOptions {
  /** Undefined: no flood. */
  readonly flood: FloodKind | undefined;
  readonly forMs: number;
}

const EVERY_MS = 50;
const WARM_UP_MS = 2_000;
/** The first flood also costs the process its warm-up. */
const FIRST_FLOOD_MS = 4_000;

/** An honest player feeds a pet and stops it again, twenty commands a second: the time of each, during a flood. */
const runCanary = async (server: VictimServer, { flood, forMs }: CanaryOptions): Promise<Sample> => {
  const player = await joinHome(server.address);
  const { petId } = await player.ask('home:adopt', { name: 'Birdie', species: 'dog' });
  const play = (at: number): Promise<unknown> =>
    player.ask(at % 2 === 0 ? 'home:feed' : 'home:stop', at % 2 === 0 ? { petId, food: 'dog-food' } : { petId });
  await atPace(EVERY_MS, WARM_UP_MS, play);
  if (flood !== undefined) {
    const first = await startFlood(flood, server);
    await pass(FIRST_FLOOD_MS);
    await first.stop();
  }
  const beforeMb = server.rssMb();
  const running = flood === undefined ? undefined : await startFlood(flood, server);
  const startedAtMs = performance.now();
  const tookMs = await atPace(EVERY_MS, forMs, play).catch(async (error: unknown) => {
    await running?.stop();
    throw error;
  });
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const afterMb = server.rssMb();
  const attempts = (await running?.stop()) ?? 0;
  await player.room.leave();
  return {
    ...quantiles(tookMs, 'p50', 'p99', 'max'),
    abuse: attempts / seconds,
    memory: afterMb,
    growth: afterMb - beforeMb,
  };
};

export type FloodKind = 'messages' | 'joins' | 'connections';

interface Flood {
  /** Ends it; returns the number of its attempts. */
  stop(): Promise<number>;
}

const abusers = path.join(import.meta.dirname, '../../processes/abusers.ts');
/** Real abusers have their own machines: here they get the lowest priority. */
const LAST = 19;
const AT_WORK_MS = 20_000;

/** Starts abusers in their own process; resolves when the first of them are at work. */
const startFlood = async (kind: FloodKind, { address, secret }: VictimServer): Promise<Flood> => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', abusers, kind], {
    env: { PATH: process.env.PATH, VICTIM: address, SECRET: secret },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  os.setPriority(child.pid ?? 0, LAST);
  const closed = once(child, 'close');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = closed.then(([code, killedBy]) => {
    throw new Error(`the abusers ended with ${code ?? killedBy}`);
  });
  const begun = once(child.stdout, 'data', { signal: AbortSignal.timeout(AT_WORK_MS) }).catch((error: unknown) => {
    throw new Error(`the abusers reached no server within ${AT_WORK_MS} ms`, { cause: error });
  });
  await Promise.race([begun, ended]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    stop: async () => {
      child.stdin.end();
      await closed;
      return Number(said.trim().split('\n').at(-1));
    },
  };
};

/** One server with all its limits, which trusts its proxy: so one machine can use many addresses. */
interface VictimServer {
  readonly address: string;
  /** Signs tokens that the server accepts. */
  readonly secret: string;
  /** Memory of its process; NaN if the system does not report it. */
  rssMb(): number;
  stop(): Promise<void>;
}

const startVictimServer = async (databaseUrl: string): Promise<VictimServer> => {
  const secret = random.uniqueName();
  const server: ServerProcess = await startServer({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    TRUST_PROXY: '1',
    JWT_SECRET: secret,
    OPS_TOKENS: `bench:admin:${random.uniqueName()}`,
  });
  return {
    address: server.address,
    secret,
    rssMb: () => rssOf(server.pid),
    stop: async () => void (await server.stop()),
  };
};

const rssOf = (pid: number): number => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) / 1_024;
  } catch {
    return Number.NaN;
  }
};
