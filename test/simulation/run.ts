// `npm run simulate`: other histories than those of `npm test`, for as long as you like; or one that failed, again.
import { atLeast, readArguments } from '../../build/read-arguments.ts';
import { calm, kind, rough } from './history.ts';
import { emptyTally, hold, type Tally } from './hold.ts';

const usage = `npm run simulate -- [--minutes n] [--seed n]                 new histories: a round of 1,000, and more until
                                                            n minutes are over
npm run simulate -- --histories rough --seed n --path p    one that failed, again
It ends with 1 when a history was wrong.
`;

/** How many of each a round plays: most where most can go wrong. */
const sorts = {
  rough: { histories: rough, runs: 800 },
  kind: { histories: kind, runs: 100 },
  calm: { histories: calm, runs: 100 },
} as const;
const isSort = (name: string): name is keyof typeof sorts => Object.hasOwn(sorts, name);
const {
  minutes: lasting,
  firstSeed,
  path,
  chosen,
} = readArguments(
  {
    usage,
    options: {
      minutes: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      histories: { type: 'string', default: 'rough,kind,calm' },
      path: { type: 'string' },
    },
  },
  ({ values }) => ({
    minutes: atLeast(0, 'minutes', values.minutes),
    firstSeed: atLeast(0, 'seed', values.seed),
    path: values.path,
    chosen: values.histories.split(',').map((name) => {
      if (isSort(name)) return { name, ...sorts[name] };
      throw new Error(`--histories: some of ${Object.keys(sorts).join(', ')}`);
    }),
  }),
);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const total = emptyTally();
const startedAtMs = performance.now();
const minutes = (): number => (performance.now() - startedAtMs) / 60_000;
const SAY_EACH_MINUTES = 0.5;
let [seed, saidAt, failures] = [firstSeed, 0, 0];

const tell = (): void => {
  const found = Object.entries(total).map(([what, count]) => `${count.toLocaleString('en-US')} ${what}`);
  say(`${minutes().toFixed(1)} min, up to seed ${seed}: ${failures} failures in ${found.join(', ')}`);
};

// Each round is another seed; at least one.
do {
  for (const { name, histories, runs } of chosen) {
    try {
      const tries = { histories, runs, seed, ...(path !== undefined && { path }) };
      const tally = await hold(tries);
      for (const what of Object.keys(tally) as (keyof Tally)[]) {
        total[what] += tally[what];
      }
    } catch (error) {
      failures += 1;
      say(`${name}, seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
      if (error instanceof Error && error.cause instanceof Error) say(error.cause.message);
      say(`again: npm run simulate -- --histories ${name} --seed ${seed} --path (the path above)`);
    }
  }
  if (minutes() - saidAt >= SAY_EACH_MINUTES) {
    saidAt = minutes();
    tell();
  }
  seed += 1;
} while (minutes() < lasting);
tell();
process.exit(failures > 0 ? 1 : 0);
