import {
  assumedPlay,
  bounds,
  measuredCosts,
  type Need,
  needOf,
  recorded,
  spreadIn,
} from '../../bench/figures/scale.ts';
import { show } from '../../bench/harness/tables.ts';

const sizes = [10_000, 100_000, 1_000_000, 10_000_000];

/** The tables of `docs/scale.md`, by heading: recorded figures, and the model's results from them. */
export const scaleTables = (): Readonly<Record<string, string>> => ({
  'What one machine carries': carried(),
  'What grows with what': growth(),
  'What one of each costs': unitCosts(),
  'What a number of players needs': needs(),
});

type Line = readonly string[];

const table = (head: Line, lines: readonly Line[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...lines]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');

/** A row of the benches, one of its contenders and figures, and its name for a reader. */
const carriedFigures = [
  ['commands (cards) a second, each committed', 'game-commands', 'service', 'perSec'],
  ['the same over real sockets, clients on the same two cores', 'commands-sockets', 'cards', 'perSec'],
  ['feedings a second that end at one instant, each with its effect', 'herd', 'on the wheel', 'perSec'],
  ['the same on Redis', 'herd', 'on Redis', 'perSec'],
  ['lateness p99 on a good day, 100 a second, on Redis', 'healthy', 'on Redis', 'p99'],
  ['a join with 10,000 rooms open, p50', 'join', '10,000 rooms open', 'p50'],
  ['an index of 1,000,000 timers lost: until it is whole', 'rebuild', 'Redis, emptied', 'whole'],
] as const;

const carried = (): string =>
  table(
    ['', 'measured', 'row'],
    carriedFigures.map(([what, row, contender, figure]) => {
      const result = recorded(row);
      const unit = result.figures.find(({ name }) => name === figure)?.unit ?? 'count';
      return [what, show(spreadIn(result, contender, figure).median, unit), `\`${row}\``];
    }),
  );

const growth = (): string => {
  const result = recorded('growth');
  const micros = (contender: string, size: string): string =>
    result.samples[contender]?.[size] ? show(spreadIn(result, contender, size).median, 'µs') : '';
  return table(
    ['', '1 k', '10 k', '100 k', '1 M', 'exponent'],
    Object.keys(result.samples).map((contender) => {
      const { median, min, max } = spreadIn(result, contender, 'grows');
      const spread = min === max ? '' : ` (${min.toFixed(2)}..${max.toFixed(2)})`;
      return [
        contender,
        ...['1 k', '10 k', '100 k', '1 M'].map((size) => micros(contender, size)),
        `${median.toFixed(2)}${spread}`,
      ];
    }),
  );
};

const unitCosts = (): string => {
  const { command, completion, room, ...rest } = measuredCosts();
  const cpu = ({ nodeMicros, postgresMicros }: { nodeMicros: number; postgresMicros: number }): string =>
    `${Math.round(nodeMicros)} + ${Math.round(postgresMicros)} µs`;
  return table(
    ['', 'measured'],
    [
      ['a command in a full batch: CPU of the process + of Postgres', cpu(command.shared)],
      ['a command alone', cpu(command.alone)],
      ['a completion, of many, on Redis', cpu(completion)],
      ['and in Redis', `${completion.redisCommands.toFixed(1)} commands, ${Math.round(completion.redisMicros)} µs`],
      ['WAL of a command; of a completion', `${kb(command.walBytes)}; ${kb(completion.walBytes)}`],
      ['images of pages, 1,000 commands after a checkpoint on 12,000 players', kb(command.imageBytes)],
      ['a message over a socket, both ends', `${Math.round(rest.messageMicros)} µs`],
      ['a join, as if all of its time were CPU', `${(rest.joinMicros / 1000).toFixed(1)} ms`],
      [
        'a player online who does nothing, with an empty home',
        `${kb(room.bytes)}, ${Math.round(room.microsASecond)} µs a second`,
      ],
      ['Postgres: a player with one pet; an event', [rest.playerBytes, rest.eventBytes].map(kb).join('; ')],
      ['Redis: a timer', kb(rest.redisBytesATimer)],
    ],
  );
};

const needs = (): string => {
  const costs = measuredCosts();
  const found = sizes.map((players) => needOf({ ...assumedPlay, players }, costs, bounds));
  const line = (what: string, text: (need: Need) => string): Line => [what, ...found.map(text)];
  return table(
    ['at the peak', ...sizes.map((players) => `${players.toLocaleString('en')} players`)],
    [
      line(
        'commands; completions a second',
        (need) => `${whole(need.commandsASecond)}; ${whole(need.completionsASecond)}`,
      ),
      line('gateway processes; their cores', (need) => `${need.gateways}; ${cores(need.gatewayCores)}`),
      line('memory of rooms', (need) => gb(need.gatewayBytes)),
      line('cores of workers', (need) => cores(need.workerCores)),
      line('cores of Postgres', (need) => cores(need.postgresCores)),
      line('WAL a second, with images of pages', (need) => mb(need.walBytesASecond)),
      line(
        'WAL a day, without images; with them',
        (need) => `${gb(need.walBytesADay.without)}; ${gb(need.walBytesADay.withImages)}`,
      ),
      line('disk of Postgres', (need) => gb(need.diskBytes)),
      line('Redis: memory; cores', (need) => `${gb(need.redisBytes)}; ${cores(need.redisCores)}`),
      line(
        'vCPU (at least 2); GB of memory (at least 4): twice rooms and Redis, and a tenth of the disk for caches',
        (need) => `${whole(vcpus(need))}; ${whole(memoryGb(need))}`,
      ),
    ],
  );
};

/** At least two: the smallest server that survives the loss of one process. */
const vcpus = ({ gatewayCores, workerCores, postgresCores, redisCores }: Need): number =>
  Math.max(2, Math.ceil(gatewayCores + workerCores + postgresCores + redisCores));

const HOT_SHARE = 0.1;

/** Rooms and index twice, and a tenth of the database: the part of today's players. */
const memoryGb = ({ gatewayBytes, redisBytes, diskBytes }: Need): number =>
  Math.max(4, (2 * (gatewayBytes + redisBytes) + HOT_SHARE * diskBytes) / 1e9);

const whole = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
const cores = (value: number): string => (value < 0.1 ? value.toFixed(2) : value.toFixed(1));
const kb = (bytes: number): string => (bytes < 1000 ? `${Math.round(bytes)} B` : `${(bytes / 1000).toFixed(1)} kB`);
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const gb = (bytes: number): string =>
  `${bytes < 1e10 ? (bytes / 1e9).toFixed(1) : Math.round(bytes / 1e9).toLocaleString('en')} GB`;

/** The page with its tables from the figures: each replaces the first table under its heading. */
export const withScaleTables = (page: string): string =>
  Object.entries(scaleTables()).reduce((text, [heading, own]) => {
    const section = text.indexOf(`\n## ${heading}\n`);
    const start = text.indexOf('\n|', section) + 1;
    if (section < 0 || start === 0) throw new Error(`docs/scale.md has no table under "${heading}"`);
    const after = /\n(?!\|)/g;
    after.lastIndex = start;
    const end = after.exec(text)?.index ?? text.length;
    return text.slice(0, start) + own + text.slice(end);
  }, page);
