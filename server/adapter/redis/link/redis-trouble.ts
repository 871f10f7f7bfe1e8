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

/** What is wrong with Redis, for an operator: what happened, and what to do. */
export interface RedisTrouble {
  readonly code: Code;
  readonly message: string;
}

/** A Redis that responds, and must not be used as it is: nothing but an operator's change will help. */
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

/** Whether it may be over without anybody having changed a setting: then it is waited for, also at the start. */
export const mayPass = ({ code }: RedisTrouble): boolean =>
  ['redis/away', 'redis/untrusted', 'redis/failing', 'redis/out-of-memory'].includes(code);

/** By the word with which Redis' reply begins. */
const replies: Readonly<Record<string, (reply: string) => RedisTrouble>> = {
  WRONGPASS: (reply) => refused(reply, 'write the right ones, redis://user:password@host:port'),
  NOAUTH: (reply) => refused(reply, 'write one, redis://:password@host:port'),
  NOPERM: (reply) => ({
    code: 'redis/refused',
    message: `Redis does not let the user of redis (REDIS_URL) do what is needed (${reply}): give it all commands but the administrator's, INFO, and the keys and channels of redisPrefix (REDIS_PREFIX)`,
  }),
  READONLY: () => READ_ONLY,
  OOM: () => OUT_OF_MEMORY,
};

const refused = (reply: string, cure: string): RedisTrouble => ({
  code: 'redis/refused',
  message: `Redis refuses the user or the password of redis, REDIS_URL (${reply}): ${cure}`,
});

/** The trouble behind an error of ioredis. */
export const troubleOf = (error: unknown): RedisTrouble => {
  if (error instanceof RedisUnfit) return error;
  const text = textOf(error);
  // ioredis puts words of its own before some replies.
  const [, word = ''] = /(?:^|: )(WRONGPASS|NOAUTH|NOPERM|READONLY|OOM)\b/.exec(text) ?? [];
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

/** What Node calls a certificate that it does not accept, or a server that has none. */
const OF_TLS = /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** A Cluster hides what its last node said; several addresses of one host have a message each. */
const textOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(textOf).join(', ');
  if (!(error instanceof Error)) return String(error);
  return 'lastNodeError' in error && error.lastNodeError ? textOf(error.lastNodeError) : error.message;
};
