import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { type ServerProcess, startServer } from '../../../examples/support/server-process.ts';
import { createDatabase, type TestDatabase } from '../postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../redis/redis-server.ts';
import { type Balancer, startBalancer } from './balancer.ts';

interface FleetOptions {
  /** The content of the rules file. */
  readonly rules?: object;
  /** In place of the reference server's own. */
  readonly program?: string;
}

/** Gateways behind one address and workers, each a process of its own, with a Postgres and a Redis of theirs. */
export class Fleet {
  readonly balancer: Balancer;
  readonly database: TestDatabase;
  readonly redis: RedisServer;
  readonly #folder: string;
  readonly #program: string | undefined;
  readonly #servers = new Map<string, ServerProcess>();

  private constructor(
    parts: Pick<Fleet, 'balancer' | 'database' | 'redis'>,
    folder: string,
    program: string | undefined,
  ) {
    this.balancer = parts.balancer;
    this.database = parts.database;
    this.redis = parts.redis;
    this.#folder = folder;
    this.#program = program;
  }

  static async open({ rules = {}, program }: FleetOptions = {}): Promise<Fleet> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-fleet-'));
    writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(rules));
    const database = await createDatabase(inject('postgresUrl'));
    return new Fleet({ database, redis: await startRedis(), balancer: await startBalancer() }, folder, program);
  }

  /** A gateway stands behind the balancer under its name, and says so unless `PUBLIC_ADDRESS` is given otherwise. */
  async start(name: string, settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const isGateway = name.startsWith('gateway');
    const env = {
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: this.database.url,
      REDIS_URL: this.redis.url,
      JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
      OPS_TOKENS: 'op:admin:Zx81kQmW4vTn7LrB2yHcD5sJ',
      RULES_FILE: path.join(this.#folder, 'rules.json'),
      ROLE: isGateway ? 'gateway' : 'worker',
      ...(isGateway ? { PUBLIC_ADDRESS: this.balancer.publicAddressOf(name) } : {}),
      ...settings,
    };
    const server = await startServer(env, this.#program);
    this.#servers.set(name, server);
    if (isGateway) this.balancer.use(name, server.address);
    return server;
  }

  addressOf(name: string): string {
    return this.#of(name).address;
  }

  /** Asks it to end, and waits. Answers the exit code: 0 only when all was finished within `DRAIN_MS`. */
  stop(name: string): Promise<number | null> {
    return this.#of(name).stop();
  }

  kill(name: string): Promise<void> {
    return this.#of(name).kill();
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await server.kill();
    await this.balancer.close();
    await this.redis.stop();
    await this.database.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #of(name: string): ServerProcess {
    const server = this.#servers.get(name);
    if (!server) throw new Error(`there is no ${name}`);
    return server;
  }
}
