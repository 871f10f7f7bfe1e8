import { seedHerd } from '../../bench/game/seed-herd.ts';
import { measureRow } from '../../bench/harness/rounds.ts';
import type { Row, Sample } from '../../bench/harness/row.ts';
import { createMigrated, Stores } from '../../bench/harness/stores.ts';
import { judge } from '../../bench/harness/tables.ts';
import { flooded } from '../../bench/rows/game/floods.ts';
import { healthy } from '../../bench/rows/game/healthy.ts';
import { herd } from '../../bench/rows/game/herd.ts';
import { NO_TROUBLES, runIsolation, type Troubles } from '../../bench/rows/game/isolation.ts';
import type { Proof } from '../support/properties/prove.ts';
import type { Findings } from './recorded.ts';

/** Measured and not tested. Each contender that reaches its targets for `figures` counts once. */
interface ProvingBench {
  readonly row: number;
  readonly of: string;
  readonly bench: Row;
  readonly figures: readonly string[];
}

const benches: readonly ProvingBench[] = [
  {
    row: 10,
    of: 'runs of 100 due a second, p99 <= 50 ms and max <= 500 ms',
    bench: healthy,
    figures: ['p99', 'max'],
  },
  { row: 10, of: 'herds of 100,000, commands p99 <= 150 ms', bench: herd, figures: ['command p99'] },
  {
    row: 18,
    of: 'benches of floods, at most 64 MB and p99 <= 100 ms',
    bench: flooded,
    figures: ['p99', 'growth'],
  },
];

/** Runs the benches, one round each, and records nothing. */
export const runBenches = async (findings: Findings, row: number | undefined): Promise<void> => {
  const stores = new Stores();
  try {
    const tryOut = async (of: { readonly row: number; readonly name: string }, run: () => Promise<Proof[]>) => {
      if (row !== undefined && of.row !== row) return;
      await run().then(
        (proofs) => findings.proofs.push(...proofs),
        (error: unknown) => findings.fail([of.row], `the bench ${of.name} was broken off, ${String(error)}`),
      );
    };
    for (const proving of benches)
      await tryOut({ row: proving.row, name: proving.bench.name }, () => runBench(proving, stores));
    await tryOut({ row: 21, name: 'isolation' }, () => nothingWaits(stores));
  } finally {
    await stores.stop();
  }
};

const runBench = async ({ row, of, bench, figures }: ProvingBench, stores: Stores): Promise<Proof[]> => {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const samples = (await measureRow(bench, { stores, rounds: 1, isQuick: false, say })) ?? {};
  const verdicts = bench.targets
    .filter(({ figure }) => figures.includes(figure))
    .map((target) => judge(target, samples));
  return Object.keys(samples).flatMap((contender): Proof[] => {
    const own = verdicts.filter(({ target }) => target.of === contender);
    if (own.length === 0) return [];
    const said = own.map(({ target, found, isReached }) => {
      const figure = `${target.figure} ${Math.round(found?.median ?? Number.NaN)}`;
      return isReached ? figure : `${figure} (wanted: at most ${target.atMost})`;
    });
    const isReached = own.every((verdict) => verdict.isReached);
    return [{ row, of, tries: isReached ? 1 : 0, seen: `${bench.name}, ${contender}: ${said.join(', ')}` }];
  });
};

/** How much later others may be at p99 than without trouble, and how late a row with a lost put. */
const MOST_MS = { others: 50, lost: 7_000 };
const TROUBLES: Troubles = { hanging: 400, failing: 20, blocking: 2, lost: 20 };
const OTHERS = { count: 500, spanMs: 20_000 };
/** Pets that come due one after the other, all the time. */
const PETS = 4_000;

const settings = [
  { of: 'hanging calls, on the wheel', processes: 1, isOnRedis: false },
  { of: 'hanging calls, on Redis with 1 process', processes: 1, isOnRedis: true },
  { of: 'hanging calls, on Redis with 3 processes', processes: 3, isOnRedis: true },
] as const;

/** Row 21: two kinds and pets beside 400 hanging calls, a handler that always fails and one that blocks; rows that the index lost. */
const nothingWaits = async (stores: Stores): Promise<Proof[]> => {
  const seeded = await createMigrated(await stores.postgresUrl());
  await seedHerd(seeded.url, { name: 'pets', count: PETS, dueAtMs: Date.now(), everyMs: 100 });
  try {
    const proofs: Proof[] = [];
    for (const { of, processes, isOnRedis } of settings) {
      const plan = { processes, redis: isOnRedis ? await stores.redisUrl() : undefined, ...OTHERS };
      const alone = await runIsolation(seeded, { ...plan, troubles: NO_TROUBLES });
      const beside = await runIsolation(seeded, { ...plan, troubles: TROUBLES });
      proofs.push(...proofsOf(of, alone, beside));
    }
    return proofs;
  } finally {
    await seeded.drop();
  }
};

const proofsOf = (of: string, alone: Sample, beside: Sample): Proof[] => {
  const { p99, pets, fired, lost = Number.NaN, hanging = 0, failing = 0, blocking = 0 } = beside;
  const isAsBefore = (ms = Number.NaN, aloneMs = Number.NaN): boolean => ms <= aloneMs + MOST_MS.others;
  const isInTime = fired === OTHERS.count && isAsBefore(p99, alone.p99) && isAsBefore(pets, alone.pets);
  const isFound = lost <= MOST_MS.lost;
  const seen = `${of}: others' p99 ${p99} ms, without them ${alone.p99} ms; pets' ${pets}, ${alone.pets} ms; lost puts fired after ${lost} ms at most`;
  const proof = (isShown: boolean, tries: number, what: string): Proof => ({
    row: 21,
    tries: isShown ? tries : 0,
    of: what,
  });
  return [
    { ...proof(isInTime, hanging, of), seen },
    proof(isInTime, failing, 'handlers that always fail'),
    proof(isInTime, blocking, 'handlers that block for their whole time-out'),
    proof(isFound, TROUBLES.lost, 'lost puts fired within 7 s'),
  ];
};
