import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Result } from '../harness/report/result.ts';
import { type Spread, spreadOf } from '../harness/spread.ts';
import type { UnitCosts } from './model.ts';

const folder = path.join(import.meta.dirname, '../results');

/** A recorded row of the benches. */
export const recorded = (row: string): Result =>
  Result.parse(JSON.parse(readFileSync(path.join(folder, `${row}.json`), 'utf8')));

/** A recorded figure, over its rounds. Throws when it was not recorded. */
export const spreadIn = (result: Result, contender: string, figure: string): Spread => {
  const values = result.samples[contender]?.[figure];
  if (values === undefined) throw new Error(`${result.name} has no figure "${figure}" of "${contender}"`);
  return spreadOf(values);
};

/** The recorded figures that machines are reckoned from, as medians. */
export const measuredCosts = (): UnitCosts => {
  const [costs, rooms, sockets] = [recorded('costs'), recorded('idle-rooms'), recorded('commands-sockets')];
  const of = (contender: string, figure: string): number => spreadIn(costs, contender, figure).median;
  const cpuOf = (contender: string) => ({
    nodeMicros: of(contender, 'Node CPU'),
    postgresMicros: of(contender, 'Postgres CPU'),
  });
  const roomCpuMs = spreadIn(rooms, 'home rooms', 'CPU a second').median;
  return {
    command: {
      shared: cpuOf('a card'),
      alone: { ...cpuOf('a card, one at a time'), tookMs: spreadIn(recorded('game-commands'), ALONE, 'p50').median },
      walBytes: of('a card', 'WAL'),
      imageBytes: of('a card, one at a time', 'WAL with images') - of('a card, one at a time', 'WAL'),
    },
    completion: {
      ...cpuOf('a completion, on Redis'),
      redisMicros: of('a completion, on Redis', 'Redis CPU'),
      redisCommands: of('a completion, on Redis', 'Redis commands'),
      walBytes: of('a completion, on Redis', 'WAL'),
    },
    // Both ends of it, on all cores of the machine.
    messageMicros: (1_000_000 * sockets.machine.cores) / spreadIn(sockets, 'Colyseus alone, an echo', 'perSec').median,
    // As if the whole time were CPU, of one core, of the process.
    joinMicros: spreadIn(recorded('join'), '10,000 rooms open', 'p50').median * 1000,
    room: {
      bytes: spreadIn(rooms, 'home rooms', 'memory').median,
      // Of a thousand rooms, in milliseconds.
      microsASecond: roomCpuMs,
    },
    playerBytes: of('a player, an event', 'player'),
    eventBytes: of('a player, an event', 'event'),
    redisBytesATimer: spreadIn(recorded('bytes'), '1 timer an owner', 'bytes').median,
  };
};

const ALONE = 'service, one at a time';
