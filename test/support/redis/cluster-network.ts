import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Where a member of a Cluster is reached. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly busPort: number;
}

/** The members' messages: the bus carries liveness and elections, replication carries writes. */
export type Talk = 'bus' | 'replication';

interface Link {
  /** Numbers of members; undefined for a client. */
  readonly ends: readonly [from: number | undefined, to: number];
  readonly talk: Talk;
  readonly sockets: readonly Socket[];
}

/** Each member has its own address, from which it also connects: so the network knows both ends of a connection. */
const HOST = '127.0.1.';

/** The address that a member calls from (`bind-source-addr`). */
export const hostOf = (member: number): string => `${HOST}${member + 1}`;

/**
 * A network between the members of a Redis Cluster that can part one of them from all others, and not from clients. What
 * is said on a cut connection is lost without a word, as in a network that is broken; those that try anew hear nothing.
 * Linux only: elsewhere 127.0.1.n has to be set up first.
 */
export class ClusterNetwork {
  readonly #servers: Server[] = [];
  readonly #links = new Set<Link>();
  readonly #silent = new Set<Link>();
  readonly #cuts: { readonly member: number; readonly talk: Talk }[] = [];

  /** Lets a member in that listens on ports of 127.0.0.1; returns where the others reach it. */
  async join(member: number, own: { readonly port: number; readonly busPort: number }): Promise<Place> {
    const [port, busPort] = [
      await this.#listen(member, 'replication', own.port),
      await this.#listen(member, 'bus', own.busPort),
    ];
    return { host: hostOf(member), port, busPort };
  }

  /** From now on this member and the others hear nothing of each other. */
  cut(member: number, ...talks: readonly Talk[]): void {
    for (const talk of talks) this.#cuts.push({ member, talk });
    for (const link of this.#links) if (this.#isCut(link)) this.#silence(link);
  }

  /** All reach each other again, on new connections. */
  heal(): void {
    this.#cuts.length = 0;
    for (const { sockets } of this.#silent) for (const socket of sockets) socket.destroy();
    this.#silent.clear();
  }

  async stop(): Promise<void> {
    for (const { sockets } of this.#links) for (const socket of sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #listen(member: number, talk: Talk, ownPort: number): Promise<number> {
    const server = createServer((caller) => this.#pass(caller, { member, talk, ownPort }));
    this.#servers.push(server);
    server.listen(0, hostOf(member));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  #pass(caller: Socket, { member, talk, ownPort }: { member: number; talk: Talk; ownPort: number }): void {
    const called = connect({ port: ownPort, host: '127.0.0.1', noDelay: true });
    const link: Link = { ends: [memberAt(caller.remoteAddress), member], talk, sockets: [caller, called] };
    this.#links.add(link);
    const end = (): void => {
      this.#links.delete(link);
      this.#silent.delete(link);
      for (const socket of link.sockets) socket.destroy();
    };
    for (const socket of link.sockets)
      socket
        .setNoDelay(true)
        .on('error', () => undefined)
        .on('close', end);
    caller.pipe(called);
    called.pipe(caller);
    if (this.#isCut(link)) this.#silence(link);
  }

  #silence(link: Link): void {
    this.#silent.add(link);
    for (const socket of link.sockets) socket.unpipe().resume();
  }

  #isCut({ ends: [from, to], talk }: Link): boolean {
    return (
      from !== undefined && this.#cuts.some((cut) => cut.talk === talk && (cut.member === from || cut.member === to))
    );
  }
}

const memberAt = (address: string | undefined): number | undefined =>
  address?.startsWith(HOST) ? Number(address.slice(HOST.length)) - 1 : undefined;
