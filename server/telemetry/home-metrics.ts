import type { Registry } from '@prometheus-io/client';
import type { ConsumerStore } from '../home/log/consumer.ts';
import type { HomeMeasurement } from '../home/model/home-measurement.ts';
import { countIn, gaugesIn, type Metric, seconds } from './metric-table.ts';
import type { StoreReads } from './store-reads.ts';

const FROM_A_MILLISECOND = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measurements of the homes, and rules of one of these modules that ran for too long. */
type HomeEvent = HomeMeasurement | { readonly type: 'slow'; readonly modules: readonly string[] };

interface Known {
  /** The module of each command. */
  readonly commandModules: ReadonlyMap<string, string>;
  readonly modules: readonly string[];
}

/** The homes' metrics: commands by module, their batches, and how soon followers get commits. */
export const homeMetrics = (registry: Registry, known: Known): ((event: HomeEvent) => void) =>
  countIn(registry, [...ofCommands(known), ...ofBatches, slowRules(known)]);

const ofCommands = ({ commandModules }: Known): readonly Metric<HomeEvent>[] => {
  const moduleOf = (type: string): string => commandModules.get(type) ?? 'home';
  const commands = [...commandModules].map(([type, module]) => ({ module, type }));
  return [
    {
      name: 'kibble_commands_total',
      help: 'Commands that reached the homes, by module and outcome: ok, a code of rejection, or unknown (a lost commit).',
      labels: ['module', 'type', 'code'],
      zeros: commands.flatMap((command) =>
        ['ok', 'server/unavailable', 'unknown'].map((code) => ({ ...command, code })),
      ),
      counts: { answered: ({ command: type, code }, count) => count({ module: moduleOf(type), type, code }) },
    },
    {
      name: 'kibble_command_seconds',
      help: 'From a command reaching the homes to its outcome, waiting for its batch included.',
      labels: ['module', 'type'],
      buckets: FROM_A_MILLISECOND,
      zeros: commands,
      counts: {
        answered: ({ command: type, tookMs }, count) => count({ module: moduleOf(type), type }, seconds(tookMs)),
      },
    },
  ];
};

const ofBatches: readonly Metric<HomeEvent>[] = [
  {
    name: 'kibble_batch_homes',
    help: 'Homes in a transaction of the write path.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    counts: { batch: ({ homes }, count) => count({}, homes) },
  },
  {
    name: 'kibble_batch_seconds',
    help: 'Transactions of the write path; failed ones are tried again by halves.',
    labels: ['outcome'],
    buckets: FROM_A_MILLISECOND,
    zeros: [{ outcome: 'committed' }, { outcome: 'failed' }],
    counts: {
      batch: ({ isCommitted, tookMs }, count) =>
        count({ outcome: isCommitted ? 'committed' : 'failed' }, seconds(tookMs)),
    },
  },
  {
    name: 'kibble_push_seconds',
    help: 'From a commit to the sockets of those who follow its player, across processes too.',
    buckets: FROM_A_MILLISECOND,
    counts: { pushed: ({ tookMs }, count) => count({}, seconds(tookMs)) },
  },
];

/** Counts each module that may have the slow rules. */
const slowRules = ({ modules }: Known): Metric<HomeEvent> => ({
  name: 'kibble_slow_rules_total',
  help: 'Times that rules of a module ran for more than 0.2 s in one go, while the process did nothing else; 0 in health.',
  labels: ['module'],
  zeros: modules.map((module) => ({ module })),
  counts: {
    slow: (event, count) => {
      for (const module of event.modules) count({ module });
    },
  },
});

const LAG_COUNTED = 10_000;

interface HomeParts {
  readonly followed: () => { readonly homes: number; readonly followers: number };
  /** Undefined if other processes measure the same for all. */
  readonly reads: StoreReads | undefined;
  readonly consumerStore: Pick<ConsumerStore, 'lag'>;
}

/** Followed homes and followers of this process, and how far behind the consumers are. */
export const homeGauges = (registry: Registry, { followed, reads, consumerStore }: HomeParts): void => {
  gaugesIn(registry, [
    {
      name: 'kibble_followers',
      help: 'Connected clients: sessions that follow a home.',
      read: () => followed().followers,
    },
    {
      name: 'kibble_homes_followed',
      help: 'Homes that somebody in this process follows.',
      read: () => followed().homes,
    },
  ]);
  if (!reads) return;
  gaugesIn(registry, [
    {
      name: 'kibble_consumer_lag_events',
      // Of all that have a place: one that no process has any more keeps the log for ever.
      help: `Events that a consumer has not read, counted up to ${LAG_COUNTED}.`,
      label: 'consumer',
      read: reads('consumers', () => consumerStore.lag(LAG_COUNTED)),
    },
  ]);
};
