import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import type { Observe } from '../../../server/timer/model/engine-event.ts';
import type { FireKind } from '../../../server/timer/model/timer-kind.ts';
import { tries } from '../../proof/table/tries.ts';
import { runningEngine } from '../../support/engine/running-engine.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';
import { prove } from '../../support/properties/prove.ts';
import { ClusterNetwork } from '../../support/redis/cluster-network.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { ClusterMembers } from './cluster-members.ts';
import { type Cut, type Failover, failOver, type Scene } from './failover.ts';

const FAILOVERS = 10;
const LOSSES = 3;
/** One takes half a minute: `npm test` has no time for any. */
const MOST_TRIES = tries({ test: 0, proof: 20 });
const NODE_TIMEOUT_MS = 5_000;
const SHARDS = 12;

/** What is behind by up to three pulses is left to the reconciler; what is behind by more is rebuilt. */
const cuts: readonly Cut[] = [
  { name: 'for long', pulsesTold: 0, isKilled: false },
  { name: 'shortly', pulsesTold: 4, isKilled: false },
  { name: 'for long, then killed', pulsesTold: 0, isKilled: true },
  { name: 'shortly, then killed', pulsesTold: 4, isKilled: true },
];

const isPossible = inject('redisUrl') !== '' && process.platform === 'linux';

describe.skipIf(!isPossible || MOST_TRIES === 0)('a master that is parted from the others', () => {
  let scene: Scene;
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const fire: FireKind['fire'] = async (timers, tx) => {
    const ids = timers.map(({ id }) => id);
    await tx.query('insert into effect select unnest($1::bigint[]), extract(epoch from clock_timestamp()) * 1000', [
      ids,
    ]);
    return undefined;
  };

  beforeAll(async () => {
    const network = new ClusterNetwork();
    closers.push(() => network.stop());
    const cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs: NODE_TIMEOUT_MS, network });
    closers.push(() => cluster.stop());
    const members = new ClusterMembers(cluster);
    closers.push(() => members.disconnect());
    await members.calm();
    const { pool, dispose } = await createTimerDatabase(inject('postgresUrl'));
    closers.push(dispose);
    await pool.query('create table effect (timer bigint, at float8)');
    const prefix = random.uniqueName();
    let swept = 0;
    const observe: Observe = (event) => {
      if (event.type === 'swept') swept += event.count;
    };
    const start = async () => {
      const node = await runningEngine({ pool, prefix, url: cluster.url, shards: SHARDS, observe });
      closers.push(node.stop);
      node.engine.register({ kind: 'order', fire });
      await node.engine.start();
      return node;
    };
    const nodes = [await start(), await start()] as const;
    scene = { cluster, network, members, pool, prefix, nodes, swept: () => swept };
  }, 60_000);
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });

  it(`loses acknowledged writes in ${LOSSES} of ${FAILOVERS} failovers at least, and no timer`, {
    timeout: MOST_TRIES * 60_000,
  }, async (context) => {
    const seen: Failover[] = [];
    const isEnough = (): boolean => {
      const lossy = seen.filter(({ lost }) => lost.length > 0);
      const isEachWay = (['reconciled', 'rebuilt'] as const).every((way) => lossy.some(({ ways }) => ways[way] > 0));
      return seen.length >= FAILOVERS && lossy.length >= LOSSES && isEachWay;
    };
    const lines: string[] = [];
    let unelected = 0;
    for (let tried = 0; tried < MOST_TRIES && !isEnough(); tried += 1) {
      const cut = cuts[tried % cuts.length] as Cut;
      const found = await failOver(scene, `try${tried}`, cut);
      expect(found.violations.slice(0, 5)).toEqual([]);
      if (!found.isElected) {
        unelected += 1;
        continue;
      }
      seen.push(found);
      lines.push(told(cut, found));
    }
    expect(isEnough(), lines.join('\n')).toBe(true);
    const losses = seen.filter(({ lost }) => lost.length > 0).length;
    prove(context, ...lines.map((line) => ({ row: 14, tries: 1, of: 'failovers', seen: line })), {
      row: 14,
      tries: losses,
      of: 'failovers with a loss of the index',
      seen: `${unelected} more partings ended without an election, and lost nothing either`,
    });
  });
});

const told = (
  cut: Cut,
  { acknowledged, lost, absent, pulsesBehind, ways, moved, swept, latestMs, orders }: Failover,
): string =>
  `parted ${cut.name}: of ${acknowledged} acknowledged entries ${lost.length} lost (${absent} absent, ` +
  `${lost.length - absent} older), ${pulsesBehind} pulses behind; ${ways.reconciled} reconciled, ${ways.rebuilt} ` +
  `rebuilt, ${moved} moved, ${ways.unseen} unseen; ${swept} swept; ${orders} orders fired once each, the lost ones max ${Math.round(latestMs)} ms late`;
