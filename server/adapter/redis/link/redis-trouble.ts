import { Cluster, type Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';

type Code =
  | 'redis/away'
  | 'redis/untrusted'
  | 'redis/refused'
  | 'redis/read-only'
  | 'redis/out-of-memory'
  | 'redis/evicts'
  | 'redis/too-old'
  | 'redis/shared'
  | 'redis/failing';

/** A trouble with Redis, for an operator: what happened, and what to do. */
export interface RedisTrouble {
  readonly code: Code;
  readonly message: string;
}

/** A Redis that responds but must not be used as it is: only an operator's change helps. */
export class RedisUnfit extends Error implements RedisTrouble {
  override readonly name = 'RedisUnfit';
  readonly retryable = false;
  readonly code: Code;

  constructor({ code, message }: RedisTrouble, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export const READ_ONLY: RedisTrouble = {
  code: 'redis/read-only',
  message: 'redis (REDIS_URL) names a read-only replica: name the master',
};

const OUT_OF_MEMORY: RedisTrouble = {
  code: 'redis/out-of-memory',
  message: 'Redis is out of memory and takes no timers: raise its maxmemory, or free some',
};

/** Whether the trouble may pass without a change of settings: then the link waits, even at the start. */
export const mayPass = ({ code }: RedisTrouble): boolean =>
  ['redis/away', 'redis/untrusted', 'redis/failing', 'redis/out-of-memory'].includes(code);

/** By the first words of Redis' reply. */
const replies: Readonly<Record<string, (reply: string) => RedisTrouble>> = {
  WRONGPASS: (reply) => refused(reply, 'write the right ones, redis://user:password@host:port'),
  NOAUTH: (reply) => refused(reply, 'write one, redis://:password@host:port'),
  NOPERM: (reply) => forbidden(reply),
  // From a script; the first words are those of Redis 7.0.
  'The user executing the script': (reply) => forbidden(reply),
  'ACL failure in script': (reply) => forbidden(reply),
  READONLY: () => READ_ONLY,
  OOM: () => OUT_OF_MEMORY,
};

const refused = (reply: string, cure: string): RedisTrouble => ({
  code: 'redis/refused',
  message: `Redis refuses the user or the password of redis, REDIS_URL (${reply}): ${cure}`,
});

const forbidden = (reply: string): RedisTrouble => ({
  code: 'redis/refused',
  message: `Redis does not let the user of redis (REDIS_URL) do what is needed (${reply}): give it all commands but the administrator's, INFO, and the keys and channels of redisPrefix (REDIS_PREFIX)`,
});

const KNOWN = new RegExp(`(?:^|: |^ERR )(${Object.keys(replies).join('|')})\\b`);

export const troubleOf = (error: unknown): RedisTrouble => {
  if (error instanceof RedisUnfit) return error;
  const text = textOf(error);
  // ioredis puts its own words before some replies.
  const [, word = ''] = KNOWN.exec(text) ?? [];
  const known = replies[word];
  if (known !== undefined) return known(text.slice(text.indexOf(word)).replace(/\.$/, ''));
  if (error instanceof Error && error.name === 'ReplyError') {
    return { code: 'redis/failing', message: `Redis answers with an error (${text}): its own log may say more` };
  }
  if (error instanceof Error && 'code' in error && OF_TLS.test(String(error.code))) {
    return {
      code: 'redis/untrusted',
      message: `no TLS with redis, REDIS_URL (${text}): name its authority in NODE_EXTRA_CA_CERTS, and its hosts as in their certificates; a Cluster has to announce these names (cluster-announce-hostname, cluster-preferred-endpoint-type)`,
    };
  }
  return { code: 'redis/away', message: `redis (REDIS_URL) does not answer (${text}): is Redis running there?` };
};

/** Node's codes for a certificate that it rejects, or a server without one. */
const OF_TLS = /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** A Cluster hides the error of its last node; several addresses of one host have one message each. */
const textOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(textOf).join(', ');
  if (!(error instanceof Error)) return String(error);
  return 'lastNodeError' in error && error.lastNodeError ? textOf(error.lastNodeError) : error.message;
};

const OLDEST_MAJOR = 7;

/**
 * Throws `RedisUnfit` for a server on which the index would not be safe; other errors mean that the server is away.
 * Returns whether the client is connected to one node of a Cluster, without the other nodes.
 */
export const checkRedis = async (client: Redis | Cluster): Promise<boolean> => {
  const isCluster = client instanceof Cluster;
  const infos = await Promise.all((isCluster ? client.nodes('master') : [client]).map(infoOf));
  if (!isCluster && infos[0]?.get('cluster_enabled') === '1') return true;
  infos.forEach(refuseUnfit);
  return false;
};

type Info = ReadonlyMap<string, string>;

/** Valkey and Dragonfly give as `redis_version` the Redis version that they are compatible with. */
const refuseUnfit = (info: Info): void => {
  const version = info.get('redis_version') ?? 'unknown';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
    throw new RedisUnfit({
      code: 'redis/too-old',
      message: `Redis ${version} is too old: ${OLDEST_MAJOR} or newer is needed`,
    });
  }
  if (info.get('role') === 'slave') throw new RedisUnfit(READ_ONLY);
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  // Our keys have no time to live, and without a bound nothing is evicted. Dragonfly says `eviction`.
  if (/^(noeviction$|volatile-)/.test(policy) || info.get('maxmemory') === '0') return;
  throw new RedisUnfit({
    code: 'redis/evicts',
    message: `Redis would evict timers: set maxmemory-policy to noeviction (it is ${policy})`,
  });
};

const infoOf = async (node: Redis): Promise<Info> =>
  new Map(
    (await node.info()).split(/\r?\n/).flatMap((line) => {
      const [name, value] = line.split(':');
      return name && value !== undefined ? [[name, value] as const] : [];
    }),
  );

/** A server that goes away within this time has not come back. */
const STABLE_MS = 2000;

interface Outage {
  readonly sinceMs: number;
  readonly codes: Set<string>;
}

/** Logs one line for each trouble of an outage and one at its end, however often it alternates in between. */
export class OutageLog {
  readonly #on: { readonly clock: Clock; readonly log: EngineLog };
  #outage: Outage | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor(dependencies: { readonly clock: Clock; readonly log: EngineLog }) {
    this.#on = dependencies;
  }

  note = (trouble: RedisTrouble | undefined): void => {
    if (trouble === undefined) this.#endSoon();
    else this.#warnOnce(trouble);
  };

  #warnOnce({ code, message }: RedisTrouble): void {
    this.#cancelEnd?.();
    this.#cancelEnd = undefined;
    this.#outage ??= { sinceMs: this.#on.clock.monotonicMs(), codes: new Set() };
    if (this.#outage.codes.has(code)) return;
    this.#outage.codes.add(code);
    this.#on.log.warn({ code }, `${message}. ${MEANWHILE}`);
  }

  #endSoon(): void {
    const outage = this.#outage;
    if (outage === undefined || this.#cancelEnd !== undefined) return;
    const foundAtMs = this.#on.clock.monotonicMs();
    this.#cancelEnd = this.#on.clock.after(STABLE_MS, () => {
      this.#cancelEnd = undefined;
      this.#outage = undefined;
      const lastedMs = Math.round(foundAtMs - outage.sinceMs);
      this.#on.log.info({ code: 'redis/back', lastedMs }, 'Redis is in order again');
    });
  }
}

const MEANWHILE = 'Until then the sweeper fires the timers, up to a few seconds late';
