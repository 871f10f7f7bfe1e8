import { readFileSync } from 'node:fs';
import path from 'node:path';
import { limits } from '../../server/settings/config.ts';
import { Result } from '../harness/results.ts';
import { type Spread, spreadOf } from '../harness/spread.ts';

/** The assumed behaviour of players; `docs/scale.md` shows it. */
interface Play {
  readonly players: number;
  readonly feedingsADay: number;
  /** Commands that begin a feeding or change it: the feed itself and the cards. */
  readonly commandsAFeeding: number;
  readonly joinsADay: number;
  /** The busiest hour divided by the average one. */
  readonly peakFactor: number;
  /** The share of all players at the peak. */
  readonly onlineShare: number;
  readonly petsAPlayer: number;
  readonly eventDays: number;
}

/** The measured costs of one of each. CPU in microseconds. */
export interface UnitCosts {
  readonly command: {
    /** In a full batch. */
    readonly shared: Cpu;
    /** In a transaction of its own. */
    readonly alone: Cpu & { readonly tookMs: number };
    readonly walBytes: number;
    /** Added for images of pages: of 1,000 commands right after a checkpoint, some of which change the same page. */
    readonly imageBytes: number;
  };
  readonly completion: Cpu & {
    readonly redisMicros: number;
    readonly redisCommands: number;
    readonly walBytes: number;
  };
  /** For the process, besides the command itself. */
  readonly messageMicros: number;
  readonly joinMicros: number;
  readonly room: { readonly bytes: number; readonly microsASecond: number };
  readonly playerBytes: number;
  readonly eventBytes: number;
  readonly redisBytesATimer: number;
}

interface Cpu {
  readonly nodeMicros: number;
  readonly postgresMicros: number;
}

/** Bounds of the server, and of the planned use of a core. */
interface Bounds {
  readonly roomsAProcess: number;
  readonly lanesAProcess: number;
  /** The used share of a core at the peak: the rest is for unforeseen load. */
  readonly busyShare: number;
}

export interface Need {
  readonly commandsASecond: number;
  readonly completionsASecond: number;
  readonly commandsABatch: number;
  readonly gateways: number;
  readonly gatewayCores: number;
  readonly gatewayBytes: number;
  readonly workerCores: number;
  readonly postgresCores: number;
  /** Without images of pages, and with the measured ones. The peak counts with them. */
  readonly walBytesADay: { readonly without: number; readonly withImages: number };
  readonly walBytesASecond: number;
  readonly diskBytes: number;
  readonly redisCores: number;
  readonly redisBytes: number;
}

const DAY_SECONDS = 86_400;
/** Each command writes one event. In a chain, the end of one feeding and the begin of the next are two. */
const EVENTS_A_COMPLETION = 1;

/** The needs of a number of players at the peak, by arithmetic alone. */
export const needOf = (play: Play, costs: UnitCosts, bounds: Bounds): Need => {
  const feedingsADay = play.players * play.feedingsADay;
  const commandsADay = feedingsADay * play.commandsAFeeding;
  const completionsASecond = (feedingsADay / DAY_SECONDS) * play.peakFactor;
  const commandsASecond = completionsASecond * play.commandsAFeeding;
  const joinsASecond = ((play.players * play.joinsADay) / DAY_SECONDS) * play.peakFactor;
  const online = play.players * play.onlineShare;
  const gateways = Math.max(1, Math.ceil(online / bounds.roomsAProcess));
  const commandsABatch = batchOf(commandsASecond / gateways, costs.command.alone.tookMs, bounds.lanesAProcess);
  const command = shared(costs.command, commandsABatch);
  const perSecond = (micros: number): number => micros / 1_000_000 / bounds.busyShare;
  const eventsAFeeding = play.commandsAFeeding + EVENTS_A_COMPLETION;
  const { completion, room } = costs;
  const images = costs.command.imageBytes;
  return {
    commandsASecond,
    completionsASecond,
    commandsABatch,
    gateways,
    gatewayCores: perSecond(
      commandsASecond * (command.nodeMicros + costs.messageMicros) +
        joinsASecond * costs.joinMicros +
        online * room.microsASecond,
    ),
    gatewayBytes: online * room.bytes,
    workerCores: perSecond(completionsASecond * completion.nodeMicros),
    postgresCores: perSecond(commandsASecond * command.postgresMicros + completionsASecond * completion.postgresMicros),
    walBytesASecond:
      commandsASecond * (costs.command.walBytes + images) + completionsASecond * (completion.walBytes + images),
    walBytesADay: {
      without: commandsADay * costs.command.walBytes + feedingsADay * completion.walBytes,
      withImages: commandsADay * (costs.command.walBytes + images) + feedingsADay * (completion.walBytes + images),
    },
    diskBytes:
      play.players * costs.playerBytes * play.petsAPlayer +
      feedingsADay * eventsAFeeding * play.eventDays * costs.eventBytes,
    redisCores: perSecond((completionsASecond + commandsASecond) * completion.redisMicros),
    redisBytes: play.players * play.petsAPlayer * costs.redisBytesATimer,
  };
};

/**
 * The number of commands in one transaction: those that arrive while all lanes of a process are busy. Below that, each
 * command has its own transaction.
 */
export const batchOf = (commandsASecond: number, tookMs: number, lanes: number): number =>
  Math.max(1, (commandsASecond * tookMs) / 1000 / lanes);

/** The cost of each command in a batch of `size`: the fixed cost of the transaction is shared. */
const shared = ({ shared, alone }: UnitCosts['command'], size: number): Cpu => ({
  nodeMicros: shared.nodeMicros + Math.max(0, alone.nodeMicros - shared.nodeMicros) / size,
  postgresMicros: shared.postgresMicros + Math.max(0, alone.postgresMicros - shared.postgresMicros) / size,
});

/** The assumed behaviour of players; its page shows it. */
export const assumedPlay: Play = {
  players: 1_000_000,
  feedingsADay: 3,
  commandsAFeeding: 2,
  joinsADay: 4,
  peakFactor: 4,
  onlineShare: 0.1,
  petsAPlayer: 1,
  // As the server has them by default.
  eventDays: 90,
};

export const bounds: Bounds = {
  roomsAProcess: limits.rooms.rooms,
  lanesAProcess: limits.writePath.parallelBatches,
  busyShare: 0.5,
};

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

/** The recorded figures behind the sizes of machines, as medians. */
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
    // As if the whole time were CPU time of one core of the process.
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
