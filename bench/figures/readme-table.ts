import { median, type Place, ratio, worst } from './readme-figures.ts';

export type Language = 'en' | 'zh';

interface Row {
  readonly question: Readonly<Record<Language, string>>;
  readonly measured: Readonly<Record<Language, () => string>>;
  /** Of `npm run bench`. */
  readonly bench: string;
}

const heads = { en: ['', 'measured', 'command'], zh: ['', '测得', '命令'] };

/** The table of the README: words by hand, figures as they were last recorded. */
export const readmeTable = (language: Language): string =>
  [
    `| ${heads[language].join(' | ')} |`,
    '|---|---|---|',
    ...rows.map(
      ({ question, measured, bench }) =>
        `| ${question[language]} | ${measured[language]()} | \`npm run bench -- ${bench}\` |`,
    ),
  ].join('\n');

const count = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
const seconds = (value: number): string => `${value.toFixed(1)} s`;
const times = (value: number): string => (value >= 9.95 ? value.toFixed(0) : value.toFixed(1));

const place = (row: string, of: string, figure: string): Place => ({ row, of, figure });
const service = (figure: string): Place => place('game-commands', 'service', figure);
const herd = (figure: string): Place => place('herd', 'on Redis', figure);
const rebuild = (figure: string): Place => place('rebuild', 'Redis, emptied', figure);
const late = (of: string): string => median(place('lateness-1m', of, 'p50')).toFixed(1);
const lateOfAll = (): string =>
  `${['hand-off on the wheel', 'hand-off on Redis', 'raw Redis and Stream'].map(late).join(' / ')} ms`;
const ready = (of: string): string => seconds(median(place('start', of, 'ready')));
const wheelTimes = (figure: string): string => times(ratio(place('wheel-1m', 'timing wheel', figure), 'binary heap'));
const wheelBytes = (): string => median(place('wheel-1m', 'timing wheel', 'bytes')).toFixed(0);
const bytes = (of: string): string => median(place('bytes', of, 'bytes')).toFixed(0);
const perTransaction = (): string => ratio(service('perSec'), 'one transaction a command').toFixed(0);
const perSql = (): string => ratio(service('perSec'), 'bare SQL in the same batches').toFixed(2);
const twoStarts = (): string => `${ready('no timers')} / ${ready('100,000 timers')}`;
const twoClients = (): readonly string[] => [
  ms(median(place('due-to-client-sockets', 'one process', 'p99'))),
  ms(median(place('due-to-client', 'two gateways and a worker', 'p99'))),
];

const operations = ['insert', 'move', 'cancel', 'fire'];

const rows: readonly Row[] = [
  {
    question: {
      en: 'game commands (a card: lock, stock, feeding, timer, event, commit, index), 256 in flight',
      zh: '游戏命令（一张卡：加锁、库存、喂食、定时器、事件、提交、索引），256 个并发',
    },
    measured: {
      en: () =>
        `${count(median(service('perSec')))}/s, p99 ${ms(median(service('p99')))}; ${perTransaction()} times the rate of one transaction a command on 16 connections, ${perSql()} times that of the bare SQL`,
      zh: () =>
        `${count(median(service('perSec')))}/s，p99 ${ms(median(service('p99')))}；是 16 个连接上每命令一个事务的 ${perTransaction()} 倍，纯 SQL 的 ${perSql()} 倍`,
    },
    bench: 'game-commands',
  },
  {
    question: {
      en: '100,000 feedings of one instant on Redis, each with its effect, beside 200 commands/s',
      zh: '同一时刻 100,000 次喂食（Redis），每次都有其效果，同时服务每秒 200 条命令',
    },
    measured: {
      en: () => `${count(median(herd('perSec')))}/s; commands p99 ${ms(median(herd('command p99')))}`,
      zh: () => `${count(median(herd('perSec')))}/s；命令 p99 ${ms(median(herd('command p99')))}`,
    },
    bench: 'herd',
  },
  {
    question: {
      en: "from due until it is in the client's hands, p99: 1,000 sockets on one process; two gateways and a worker",
      zh: '从到期到客户端收到，p99：一个进程 1,000 个连接；两个网关加一个 worker',
    },
    measured: { en: () => twoClients().join('; '), zh: () => twoClients().join('；') },
    bench: 'due-to-client',
  },
  {
    question: {
      en: 'start to ready, embedded, with 0 / 100,000 timers',
      zh: '启动到就绪，内嵌，0 / 100,000 个定时器',
    },
    measured: { en: twoStarts, zh: twoStarts },
    bench: 'start',
  },
  {
    question: {
      en: 'hand-off lateness with 1,000,000 pending, p50: wheel / Redis / raw Redis + Stream',
      zh: '1,000,000 个待触发时的交接延迟 p50：时间轮 / Redis / 裸 Redis + Stream',
    },
    measured: { en: lateOfAll, zh: lateOfAll },
    bench: 'lateness',
  },
  {
    question: {
      en: 'Redis emptied with 1,000,000 timers: whole again, while 200 commands/s are served',
      zh: '清空带 100 万个定时器的 Redis：每秒服务 200 条命令的同时恢复完整',
    },
    measured: {
      en: () => `${seconds(median(rebuild('whole')))}; commands p99 ${ms(median(rebuild('command p99')))}`,
      zh: () => `${seconds(median(rebuild('whole')))}；命令 p99 ${ms(median(rebuild('command p99')))}`,
    },
    bench: 'rebuild',
  },
  {
    question: {
      en: 'memory of Redis a timer, both orders: 10 timers an owner, one',
      zh: '每个定时器占用的 Redis 内存（两个顺序）：每个玩家 10 个、1 个',
    },
    measured: {
      en: () => `${bytes('10 timers an owner')} B, ${bytes('1 timer an owner')} B`,
      zh: () => `${bytes('10 timers an owner')} B、${bytes('1 timer an owner')} B`,
    },
    bench: 'bytes',
  },
  {
    question: {
      en: "what the operators' page asks, 1 M timers and 5 M events: the slowest question, p95",
      zh: '运维页面的查询，100 万个定时器和 500 万条事件：最慢的 p95',
    },
    measured: { en: () => ms(worst('ops-queries', 'p95')), zh: () => ms(worst('ops-queries', 'p95')) },
    bench: 'ops-queries',
  },
  {
    question: {
      en: 'timing wheel against a binary heap, 1 M pending: insert, move, cancel, fire',
      zh: '时间轮对比二叉堆，100 万个待触发：插入、移动、取消、触发',
    },
    measured: {
      en: () => `${operations.map((each) => `${wheelTimes(each)} x`).join(', ')}; ${wheelBytes()} B a timer`,
      zh: () => `${operations.map(wheelTimes).join('、')} 倍；每个定时器 ${wheelBytes()} B`,
    },
    bench: 'wheel',
  },
];
