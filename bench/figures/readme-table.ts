import { judge } from '../harness/tables.ts';
import { recorded, spreadIn } from './scale.ts';

type Language = 'en' | 'zh';
type InBoth = Readonly<Record<Language, string>>;
const inBoth = (en: string, zh: string): InBoth => ({ en, zh });

const heads = { en: ['', 'measured', 'command'], zh: ['', '测得', '命令'] };

/** The README's table: words by hand, figures as last recorded. */
export const readmeTable = (language: Language): string =>
  [
    `| ${heads[language].join(' | ')} |`,
    '|---|---|---|',
    ...rows().map(
      ([bench, question, measured]) =>
        `| ${question[language]} | ${measured[language]} | \`npm run bench -- ${bench}\` |`,
    ),
  ].join('\n');

const count = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
const seconds = (value: number): string => `${value.toFixed(1)} s`;

/** The name in `npm run bench`, the question, and what was measured. */
const rows = (): readonly (readonly [bench: string, question: InBoth, measured: InBoth])[] => {
  const service = place('game-commands', 'service');
  const cards = `${count(median(service('perSec')))}/s`;
  const cardsP99 = `p99 ${ms(median(service('p99')))}`;
  const perTransaction = ratio(service('perSec'), 'one transaction a command').toFixed(1);
  const perSql = ratio(service('perSec'), 'bare SQL in the same batches').toFixed(2);
  const herd = place('herd', 'on Redis');
  const [done, beside] = [`${count(median(herd('perSec')))}/s`, `p99 ${ms(median(herd('command p99')))}`];
  const one = ms(median(place('due-to-client-sockets', 'one process')('p99')));
  const three = ms(median(place('due-to-client', 'two gateways and a worker')('p99')));
  const starts = ['no timers', '100,000 timers'].map((of) => seconds(median(place('start', of)('ready')))).join(' / ');
  return [
    [
      'game-commands',
      inBoth(
        'game commands (a card: lock, stock, feeding, timer, event, commit, index), 256 in flight',
        '游戏命令（一张卡：加锁、库存、喂食、定时器、事件、提交、索引），256 个并发',
      ),
      inBoth(
        `${cards}, ${cardsP99}; ${perTransaction} times the rate of one transaction per command on 16 connections, ${perSql} times that of bare SQL`,
        `${cards}，${cardsP99}；是 16 个连接上每命令一个事务的 ${perTransaction} 倍，纯 SQL 的 ${perSql} 倍`,
      ),
    ],
    [
      'herd',
      inBoth(
        '100,000 feedings due at once on Redis, each with its effect, beside 200 commands/s',
        '同一时刻 100,000 次喂食（Redis），每次都有其效果，同时服务每秒 200 条命令',
      ),
      inBoth(`${done}; commands ${beside}`, `${done}；命令 ${beside}`),
    ],
    [
      'due-to-client',
      inBoth(
        'from the due time to the client, p99: 1,000 sockets on one process; two gateways and a worker',
        '从到期到客户端收到，p99：一个进程 1,000 个连接；两个网关加一个 worker',
      ),
      inBoth(`${one}; ${three}`, `${one}；${three}`),
    ],
    [
      'start',
      inBoth('start to ready, embedded, with 0 / 100,000 timers', '启动到就绪，内嵌，0 / 100,000 个定时器'),
      inBoth(starts, starts),
    ],
  ];
};

/** A recorded figure. */
interface Place {
  readonly row: string;
  readonly of: string;
  readonly figure: string;
}
const place =
  (row: string, of: string) =>
  (figure: string): Place => ({ row, of, figure });

/** The median over a recorded figure's rounds. Throws if there is no record. */
const median = ({ row, of, figure }: Place): number => spreadIn(recorded(row), of, figure).median;

/** The median of the rounds' ratios. */
const ratio = (place: Place, against: string): number => {
  const { of, figure } = place;
  const { found } = judge({ of, figure, against }, recorded(place.row).samples);
  if (found === undefined) throw new Error(`no ${figure} of ${of} in bench/results/${place.row}.json`);
  return found.median;
};
