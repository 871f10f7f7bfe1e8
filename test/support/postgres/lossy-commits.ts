import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The fate of a COMMIT. `swallow`: it is done, and its reply is lost. `cut`: it does not arrive. */
export type Fate = 'pass' | 'swallow' | 'cut';

export interface LossyCommits {
  /** The same server, over this network. */
  readonly url: string;
  /** COMMITs by their fate; swallowed ones when the server has said that it has committed. */
  readonly commits: Readonly<Record<Fate, number>>;
  /** Where the server could not do what it was asked to commit. */
  readonly refused: number;
  stop(): Promise<void>;
}

/**
 * A way to Postgres on which the connection breaks at COMMITs: with the COMMIT still on its way, or with the server's
 * word that it has committed. Reads as much of the protocol as that takes.
 */
export const lossyCommits = async (serverUrl: string, fateOfNext: () => Fate): Promise<LossyCommits> => {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const commits = { pass: 0, swallow: 0, cut: 0 };
  let refused = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const postgres = connect({ port: Number(port), host: hostname, noDelay: true });
    for (const each of [client, postgres]) {
      sockets.add(each);
      each.on('error', () => undefined).on('close', () => sockets.delete(each));
    }
    const end = (): void => {
      client.destroy();
      postgres.destroy();
    };
    let fate: Fate = 'pass';
    const fromClient = frames(HAS_NO_TYPE_FIRST, (frame) => {
      if (fate !== 'pass') return;
      if (isCommit(frame)) {
        fate = fateOfNext();
        if (fate !== 'swallow') commits[fate] += 1;
      }
      if (fate === 'cut') end();
      else postgres.write(frame);
    });
    const fromPostgres = frames(!HAS_NO_TYPE_FIRST, (frame) => {
      if (fate === 'pass') return void client.write(frame);
      const reply = replyToCommit(frame);
      if (reply === undefined) return;
      if (reply === 'COMMIT') commits.swallow += 1;
      else refused += 1;
      end();
    });
    client.on('data', fromClient).on('close', end);
    postgres.on('data', fromPostgres).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    commits,
    get refused() {
      return refused;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** A client's first message is its length and what it wants; all others begin with a letter. */
const HAS_NO_TYPE_FIRST = true;

/** Cuts a stream into the messages of Postgres' protocol, each whole. */
const frames = (hasNoTypeFirst: boolean, onFrame: (frame: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = hasNoTypeFirst ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + 4) {
      const bytes = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < bytes) return;
      const frame = rest.subarray(0, bytes);
      rest = rest.subarray(bytes);
      typeBytes = 1;
      onFrame(frame);
    }
  };
};

const textOf = (frame: Buffer): string => frame.toString('latin1', 5, frame.length - 1);

/** A simple query: `Q`, its length, its text, a zero. */
const isCommit = (frame: Buffer): boolean => frame[0] === 0x51 && textOf(frame).toLowerCase() === 'commit';

/** The reply to a COMMIT: `COMMIT`, `ROLLBACK` or `refused`; undefined for any other message. */
const replyToCommit = (frame: Buffer): string | undefined => {
  if (frame[0] === 0x45) return 'refused';
  const tag = frame[0] === 0x43 ? textOf(frame) : '';
  return tag === 'COMMIT' || tag === 'ROLLBACK' ? tag : undefined;
};
