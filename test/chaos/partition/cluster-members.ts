import { Redis } from 'ioredis';
import type { RedisCluster } from '../../support/redis/redis-cluster.ts';
import { until } from '../play/within.ts';

const CALM_MS = 30_000;

/** What a member says of itself, asked directly. */
export interface MemberState {
  readonly role: 'master' | 'slave';
  /** Its own as a master, its master's as a replica. */
  readonly epoch: number;
  /** Whether it knows the owner of every slot, and accepts writes. */
  readonly isServing: boolean;
}

interface Pair {
  /** Numbers of members. */
  readonly master: number;
  readonly replica: number;
}

/** The members of a Cluster, each asked by a connection of its own that no cut concerns. */
export class ClusterMembers {
  readonly #clients: readonly Redis[];

  constructor({ servers }: RedisCluster) {
    this.#clients = servers.map(({ url }) => new Redis(url, { retryStrategy: () => 50 }));
    // It may be killed in the middle of something.
    for (const client of this.#clients) client.on('error', () => undefined);
  }

  client(member: number): Redis {
    const client = this.#clients[member];
    if (!client) throw new Error(`there is no member ${member}`);
    return client;
  }

  async stateOf(member: number): Promise<MemberState> {
    const client = this.client(member);
    const [cluster, replication] = [String(await client.call('CLUSTER', 'INFO')), await client.info('replication')];
    return {
      role: replication.includes('role:master') ? 'master' : 'slave',
      epoch: Number(fieldOf(cluster, 'cluster_my_epoch')),
      isServing: cluster.includes('cluster_state:ok'),
    };
  }

  /** The master of a key, and its replica. */
  async pairOf(key: string): Promise<Pair> {
    const slot = Number(await this.client(0).call('CLUSTER', 'KEYSLOT', key));
    const nodes = String(await this.client(0).call('CLUSTER', 'NODES'))
      .trim()
      .split('\n')
      .map(nodeOf);
    const ids = await Promise.all(this.#clients.map((client) => client.call('CLUSTER', 'MYID')));
    const owner = nodes.find(({ ranges }) => ranges.some(([from, to]) => slot >= from && slot <= to));
    const copy = nodes.find(({ masterId }) => masterId === owner?.id);
    const [master, replica] = [ids.indexOf(owner?.id), ids.indexOf(copy?.id)];
    return { master, replica };
  }

  /** Until all agree on the owners of slots, and every replica has all of its master's data. Throws after 30 s. */
  async calm(): Promise<void> {
    await until('the Cluster is calm', CALM_MS, async () => {
      const isCalm = await Promise.all(this.#clients.map((client) => isMemberCalm(client, this.#clients.length / 2)));
      return isCalm.every(Boolean);
    });
  }

  disconnect(): void {
    for (const client of this.#clients) client.disconnect();
  }
}

/** It knows all replicas; as a master it has one that lags by nothing, as a replica it has its master. */
const isMemberCalm = async (client: Redis, replicas: number): Promise<boolean> => {
  const cluster = String(await client.call('CLUSTER', 'INFO'));
  const nodes = String(await client.call('CLUSTER', 'NODES'));
  const replication = await client.info('replication');
  if (!cluster.includes('cluster_state:ok') || /fail|handshake|noaddr/.test(nodes)) return false;
  if (nodes.match(/slave/g)?.length !== replicas) return false;
  if (replication.includes('role:slave')) return replication.includes('master_link_status:up');
  return /^slave0:.*state=online.*,lag=[01]\r?$/m.test(replication);
};

/** A line of CLUSTER NODES. */
const nodeOf = (line: string) => {
  const [id, , , masterId, , , , , ...slots] = line.split(' ');
  const ranges = slots.map((range): [number, number] => {
    const [from = '', to = from] = range.split('-');
    return [Number(from), Number(to)];
  });
  return { id, masterId, ranges };
};

const fieldOf = (info: string, name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
