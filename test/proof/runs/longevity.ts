// Row 26: `npm run longevity`: steady play with restarts; says what does not stay flat.
import '../../support/machine/end-on-sigterm.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'pg';
import { currentCommit } from '../../../bench/harness/machine.ts';
import { atLeast, readArguments } from '../../../build/read-arguments.ts';
import { sourceTree } from '../../../build/source-tree.ts';
import { chaosPostgres } from '../../chaos/world/database.ts';
import { OPS_TOKEN, type ServerNode, startNode } from '../../chaos/world/node.ts';
import { RestlessPlayer } from '../../support/game/player.ts';
import { createDatabase, startPostgres } from '../../support/postgres/postgres-server.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { driftOf } from './flat.ts';
import { linePlot } from './line-plot.ts';
import { Watch } from './watch.ts';

const usage = `npm run longevity -- [--minutes n] [--svg file]   steady play for 30 minutes, or n, with restarts; ends with 1
                                                  when something did not stay flat. --svg: draws it
`;
const { minutes, svg } = readArguments(
  { usage, options: { minutes: { type: 'string', default: '30' }, svg: { type: 'string' } } },
  ({ values }) => ({ minutes: atLeast(1, 'minutes', values.minutes), svg: values.svg }),
);
const root = path.resolve(import.meta.dirname, '../../..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const PLAYERS = 20;
const RESTARTS = 10;
const SAMPLES = 180;
/** Of the run: processes warm up. */
const WARM_UP = 0.2;
/**
 * What WAL is written and kept swings from checkpoint to checkpoint. With Postgres' five minutes between them a run would have
 * five, and where they lie would decide whether it looks flat.
 */
const OFTEN = { checkpoint_timeout: '1min' };
/** A meal takes a second, and nothing runs out. */
const rules = {
  starter: { items: { 'dog-food': 1_000_000, 'auto-feed': 1_000_000, 'speed-up': 1_000_000, boost: 1_000_000 } },
  foods: { 'dog-food': { workMs: 1_000, xp: 1 } },
  cards: {
    'speed-up': { effect: 'cut', workMs: 50 },
    boost: { effect: 'rate', rate: 2, lastsMs: 100 },
    'auto-feed': { effect: 'repeat', times: 1 },
  },
};

const closers: (() => unknown)[] = [];
/** Two gateways and two workers; the second of each is started again and again. */
const startServers = async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-longevity-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(rules));
  const postgres = await startPostgres({ ...chaosPostgres, settings: { ...chaosPostgres.settings, ...OFTEN } });
  closers.push(() => postgres.stop());
  const database = await createDatabase(postgres.url);
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
    OPS_TOKENS: `op:admin:${OPS_TOKEN}`,
    RULES_FILE: path.join(folder, 'rules.json'),
    HOST: '127.0.0.1',
    // All players come from this machine.
    DEV_TOOLS: '1',
  };
  const start = async (name: string, role: 'gateway' | 'worker'): Promise<ServerNode> => {
    const node = await startNode(name, role, env);
    closers.push(() => node.kill());
    return node;
  };
  const worker = await start('worker-1', 'worker');
  const gateway = await start('gateway-1', 'gateway');
  const restarted = [await start('worker-2', 'worker'), await start('gateway-2', 'gateway')];
  return { url: database.url, lasting: [gateway, worker], restarted };
};

const run = async (): Promise<boolean> => {
  const { url, lasting, restarted } = await startServers();
  const pool = new Pool({ connectionString: url, max: 1 });
  closers.push(() => pool.end());
  const gateways = [lasting[0], restarted[1]];
  const players = await Promise.all(
    Array.from({ length: PLAYERS }, (_, at) => RestlessPlayer.signIn(gateways[at % 2]?.address ?? '')),
  );
  let isOver = false;
  const games = Promise.all(players.map((player) => player.play(() => isOver)));
  const watch = new Watch(pool, lasting);
  let isAfterRestart = false;
  const everyMs = (minutes * 60_000) / SAMPLES;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await Promise.race([pass(everyMs), games]);
    const at = (sample * RESTARTS) / SAMPLES;
    const node = at > 0 ? restarted[at % 2] : undefined;
    if (node) {
      // One by one a restart is asked for or comes as a crash.
      await (at % 4 < 2 ? node.stop() : node.kill());
      await node.restart();
    }
    // What a killed worker had taken comes again after five seconds.
    await watch.look(node !== undefined || isAfterRestart);
    isAfterRestart = node !== undefined;
  }
  isOver = true;
  await games;
  const series = watch.series(minutes * 60 * WARM_UP);
  const drifts = series.map((one) => ({ ...one, ...driftOf(one) }));
  for (const { name, unit, mean, drift, isFlat } of drifts)
    say(`${isFlat ? '✓' : '✗'} ${name}: mean ${mean.toFixed(1)} ${unit}, drift ${drift.toFixed(1)} in the run`);
  if (svg !== undefined)
    writeFileSync(svg, linePlot(`${minutes} minutes of steady play with ${RESTARTS - 1} restarts`, series));
  const commands = players.reduce((sum, { accepted }) => sum + accepted.length, 0);
  say(
    `commit ${currentCommit()}, tree ${sourceTree(root) ?? 'changed'}: ${minutes} minutes, ${commands} commands, ${RESTARTS - 1} restarts`,
  );
  await Promise.all(players.map((player) => player.leave()));
  return drifts.every(({ isFlat }) => isFlat);
};

try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
}
process.exit();
