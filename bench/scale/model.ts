/** How people play. All of it is assumed, and stands in `docs/scale.md`. */
export interface Play {
  readonly players: number;
  readonly feedingsADay: number;
  /** Commands that begin a feeding or change it: the feed itself and the cards. */
  readonly commandsAFeeding: number;
  readonly joinsADay: number;
  /** Of the busiest hour beside the average one. */
  readonly peakFactor: number;
  /** At the peak, of all players. */
  readonly onlineShare: number;
  readonly petsAPlayer: number;
  readonly eventDays: number;
}

/** What one of each costs, as measured. CPU in microseconds. */
export interface UnitCosts {
  readonly command: {
    /** In a full batch. */
    readonly shared: Cpu;
    /** With a transaction for itself. */
    readonly alone: Cpu & { readonly tookMs: number };
    readonly walBytes: number;
    /** Of the images of its pages besides, when none of them was changed since the last checkpoint. */
    readonly imageBytes: number;
  };
  readonly completion: Cpu & {
    readonly redisMicros: number;
    readonly redisCommands: number;
    readonly walBytes: number;
  };
  /** Of the process, beside the command itself. */
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

/** Bounds of the server and of what a core should be asked for. */
export interface Bounds {
  readonly roomsAProcess: number;
  readonly lanesAProcess: number;
  /** Of a core, at the peak: the rest is for what nobody foresaw. */
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
  /** Least: no page needs an image; most: every page does. At the peak the most. */
  readonly walBytesADay: { readonly least: number; readonly most: number };
  readonly walBytesASecond: number;
  readonly diskBytes: number;
  readonly redisCores: number;
  readonly redisBytes: number;
}

const DAY_SECONDS = 86_400;
/** Each command leaves one. In a chain, where one feeding ends and the next begins, it is two. */
const EVENTS_A_COMPLETION = 1;

/** What a number of players needs at its peak, by arithmetic alone: the same in gives the same out. */
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
      least: commandsADay * costs.command.walBytes + feedingsADay * completion.walBytes,
      most: commandsADay * (costs.command.walBytes + images) + feedingsADay * (completion.walBytes + images),
    },
    diskBytes:
      play.players * costs.playerBytes * play.petsAPlayer +
      feedingsADay * eventsAFeeding * play.eventDays * costs.eventBytes,
    redisCores: perSecond((completionsASecond + commandsASecond) * completion.redisMicros),
    redisBytes: play.players * play.petsAPlayer * costs.redisBytesATimer,
  };
};

/**
 * How many commands share a transaction: those that arrive while all lanes of a process are busy. Below that each has
 * one for itself.
 */
export const batchOf = (commandsASecond: number, tookMs: number, lanes: number): number =>
  Math.max(1, (commandsASecond * tookMs) / 1000 / lanes);

/** What a batch of `size` costs, for each of its commands: what the transaction costs anyway is shared. */
const shared = ({ shared, alone }: UnitCosts['command'], size: number): Cpu => ({
  nodeMicros: shared.nodeMicros + Math.max(0, alone.nodeMicros - shared.nodeMicros) / size,
  postgresMicros: shared.postgresMicros + Math.max(0, alone.postgresMicros - shared.postgresMicros) / size,
});
