import { judge } from '../harness/tables.ts';
import { recorded, spreadIn } from './scale.ts';

type Language = 'en' | 'zh';

interface Row {
  readonly question: Readonly<Record<Language, string>>;
  readonly measured: Readonly<Record<Language, () => string>>;
  /** Of `npm run bench`. */
  readonly bench: string;
}

const heads = { en: ['', 'measured', 'command'], zh: ['', '测得', '命令'] };

/** The README's table: words by hand, figures as last recorded. */
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

const place = (row: string, of: string, figure: string): Place => ({ row, of, figure });
const service = (figure: string): Place => place('game-commands', 'service', figure);
const herd = (figure: string): Place => place('herd', 'on Redis', figure);
const ready = (of: string): string => seconds(median(place('start', of, 'ready')));
const perTransaction = (): string => ratio(service('perSec'), 'one transaction a command').toFixed(1);
const perSql = (): string => ratio(service('perSec'), 'bare SQL in the same batches').toFixed(2);
const twoStarts = (): string => `${ready('no timers')} / ${ready('100,000 timers')}`;
const twoClients = (): readonly string[] => [
  ms(median(place('due-to-client-sockets', 'one process', 'p99'))),
  ms(median(place('due-to-client', 'two gateways and a worker', 'p99'))),
];

const rows: readonly Row[] = [
  {
    question: {
      en: 'game commands (a card: lock, stock, feeding, timer, event, commit, index), 256 in flight',
      zh: '游戏命令（一张卡：加锁、库存、喂食、定时器、事件、提交、索引），256 个并发',
    },
    measured: {
      en: () =>
        `${count(median(service('perSec')))}/s, p99 ${ms(median(service('p99')))}; ${perTransaction()} times the rate of one transaction per command on 16 connections, ${perSql()} times that of bare SQL`,
      zh: () =>
        `${count(median(service('perSec')))}/s，p99 ${ms(median(service('p99')))}；是 16 个连接上每命令一个事务的 ${perTransaction()} 倍，纯 SQL 的 ${perSql()} 倍`,
    },
    bench: 'game-commands',
  },
  {
    question: {
      en: '100,000 feedings due at once on Redis, each with its effect, beside 200 commands/s',
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
      en: 'from the due time to the client, p99: 1,000 sockets on one process; two gateways and a worker',
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
];

/** The place of a recorded figure. */
interface Place {
  readonly row: string;
  readonly of: string;
  readonly figure: string;
}

/** The median over a recorded figure's rounds. Throws if there is no record. */
const median = ({ row, of, figure }: Place): number => spreadIn(recorded(row), of, figure).median;

/** The median of the rounds' ratios. */
const ratio = (place: Place, against: string): number => {
  const { of, figure } = place;
  const { found } = judge({ of, figure, against }, recorded(place.row).samples);
  if (found === undefined) throw new Error(`no ${figure} of ${of} in bench/results/${place.row}.json`);
  return found.median;
};
