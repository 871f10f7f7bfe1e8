// A small server that a bundler makes one file of: it boots, gives something, and ends.
import { createKibble } from 'colyseus-kibble';
import { addOpsApi } from 'colyseus-kibble/ops';
import pg from 'pg';

const run = async (): Promise<void> => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const redis = process.env.REDIS_URL;
  const playerId = ({ sub }: { readonly sub: string }): string => sub;
  const kibble = createKibble({ pool, playerId, ...(redis ? { redis } : {}) });
  await kibble.lifecycle.boot();
  const order = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };
  const [granted] = await kibble.homes.grant([order]);
  const version = /kibble_build_info\{version="([^"]*)"/.exec(await kibble.metrics.metrics())?.[1];
  const hasHealth = Array.isArray(kibble.health.degraded());
  console.log(JSON.stringify({ isGranted: granted?.ok, version, ops: typeof addOpsApi, hasHealth }));
  await kibble.lifecycle.shutdown();
  await pool.end();
};

void run();
