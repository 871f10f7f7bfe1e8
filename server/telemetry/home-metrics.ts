import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { HomeMeasurement, SlowRules } from '../home/model/home-measurement.ts';
import { seconds } from './seconds.ts';

const FROM_A_MILLISECOND = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type ObserveHomes = (measurement: HomeMeasurement) => void;

/** The homes' metrics: commands by module, the batches they share, and how soon followers hear. */
export const homeMetrics = (registry: Registry, commandModules: ReadonlyMap<string, string>): ObserveHomes => {
  const { commands, commandSeconds, batchHomes, batchSeconds, pushSeconds } = metricsIn(registry);
  // At 0 from the start: what has not been counted yet has no rate, and an alert on it could not fire the first time.
  for (const outcome of ['committed', 'failed']) batchSeconds.zero({ outcome });
  for (const [type, module] of commandModules) {
    commandSeconds.zero({ module, type });
    for (const code of ['ok', 'server/unavailable', 'unknown']) commands.inc({ module, type, code }, 0);
  }

  return (measurement) => {
    const tookSeconds = seconds(measurement.tookMs);
    switch (measurement.type) {
      case 'answered': {
        const { command: type, code } = measurement;
        const module = commandModules.get(type) ?? 'home';
        commands.inc({ module, type, code });
        commandSeconds.observe({ module, type }, tookSeconds);
        break;
      }
      case 'batch':
        batchHomes.observe(measurement.homes);
        batchSeconds.observe({ outcome: measurement.isCommitted ? 'committed' : 'failed' }, tookSeconds);
        break;
      case 'pushed':
        pushSeconds.observe(tookSeconds);
        break;
      default:
        measurement satisfies never;
    }
  };
};

const metricsIn = (registry: Registry) => {
  const registers = [registry];
  return {
    commands: new Counter({
      name: 'kibble_commands_total',
      help: 'Commands that reached the homes, by module and outcome: ok, a code of rejection, or unknown (a lost commit).',
      labelNames: ['module', 'type', 'code'],
      registers,
    }),
    commandSeconds: new Histogram({
      name: 'kibble_command_seconds',
      help: 'From a command reaching the homes to its outcome, waiting for its batch included.',
      labelNames: ['module', 'type'],
      buckets: FROM_A_MILLISECOND,
      registers,
    }),
    batchHomes: new Histogram({
      name: 'kibble_batch_homes',
      help: 'Homes in a transaction of the write path.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'kibble_batch_seconds',
      help: 'Transactions of the write path; failed ones are tried again by halves.',
      labelNames: ['outcome'],
      buckets: FROM_A_MILLISECOND,
      registers,
    }),
    pushSeconds: new Histogram({
      name: 'kibble_push_seconds',
      help: 'From a commit to the sockets of those who follow its player, across processes too.',
      buckets: FROM_A_MILLISECOND,
      registers,
    }),
  };
};

/** Counts each of the modules whose rules it may have been. */
export const slowRulesMetrics = (registry: Registry, modules: readonly string[]): ((slow: SlowRules) => void) => {
  const slowRules = new Counter({
    name: 'kibble_slow_rules_total',
    help: 'Times that rules of a module ran for more than 0.2 s in one go, while the process did nothing else; 0 in health.',
    labelNames: ['module'],
    registers: [registry],
  });
  for (const module of modules) slowRules.inc({ module }, 0);
  return (slow) => {
    for (const module of slow.modules) slowRules.inc({ module });
  };
};
