import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files of some ten seconds and more, the slowest first; those in a browser later, for it may have to be installed first.
 * Vitest itself knows no durations in a fresh clone.
 */
const slow: readonly string[] = [
  'chaos/chaos.test.ts',
  'e2e/rolling-restart.test.ts',
  'e2e/package.test.ts',
  'fuzz/safe-configuration.test.ts',
  'simulation/crash-points.test.ts',
  'browser/story.test.ts',
  'browser/town.test.ts',
  'browser/ops-story.test.ts',
  'e2e/clock-jumps.test.ts',
  'e2e/redis-trouble.test.ts',
  'browser/ops-rights.test.ts',
  'simulation/servers-die.test.ts',
  'simulation/planted.test.ts',
  'domain/laws.test.ts',
  'modules/works/laws.test.ts',
  'build/public-types.test.ts',
  'adapter/embedded-postgres/embedded.test.ts',
  'e2e/start-refused.test.ts',
  'examples/stories.test.ts',
  'fuzz/floods.test.ts',
  'simulation/servers-live.test.ts',
  'browser/ops.test.ts',
  'cli/kibble.test.ts',
  'load/load.test.ts',
  'simulation/honest-homes.test.ts',
  'timer/processes/losses.test.ts',
  'timer/processes/wrong-clocks.test.ts',
  'timer/fire/fires.test.ts',
  'timer/index/reshard.test.ts',
  'fuzz/bad-input.test.ts',
  'fuzz/races.test.ts',
  'contract/strategies.test.ts',
  'home/write/lost-commits.test.ts',
];

/** Others of ten seconds and more, which share a process: the machine would wait for one that began last. */
const long: readonly string[] = [
  'contract/timer-stores.test.ts',
  'game-code/lent-transactions.test.ts',
  'timer/processes/broken-index.test.ts',
  'timer/fire/whose-fault.test.ts',
  'timer/dispatch/many-nodes.test.ts',
  'proof/arguments.test.ts',
  'adapter/redis/link/redis-flavours.test.ts',
  'adapter/postgres/orm-transactions.test.ts',
  'adapter/redis/link/redis-places.test.ts',
  'modules/works/shared-item.test.ts',
  'docs/blocks.test.ts',
  'adapter/postgres/silent-network.test.ts',
  'game-code/homes-wall.test.ts',
  'docs/runbook.test.ts',
  'examples/works.test.ts',
  'adapter/postgres/timer/young-database.test.ts',
  'adapter/embedded-postgres/abandoned.test.ts',
  'adapter/postgres/borrowed-session.test.ts',
  'timer/index/old-copy.test.ts',
];

/**
 * Long files begin first: one that came last would keep one core waiting for the other. Files that share a process come
 * last, one after the other: it ends when the next file wants one of its own.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification): number => {
      const file = path.relative(path.join(import.meta.dirname, '../..'), moduleId).replaceAll('\\', '/');
      const rank = slow.indexOf(file);
      if (rank !== -1) return rank;
      if (project.config.isolate) return slow.length;
      const rankOfShared = long.indexOf(file);
      return slow.length + 1 + (rankOfShared === -1 ? long.length : rankOfShared);
    };
    return (await super.sort(files)).sort((left, right) => rankOf(left) - rankOf(right));
  }
}
