// The town's client: what a page would be built on. It comes back by itself from any loss of connection, and knows from the
// modules' types, without a rule of theirs, what can be commanded and what things are like.
import { Client, type Room } from '@colyseus/sdk';
import type { pets } from 'colyseus-kibble';
import { type FollowOptions, followHome } from 'colyseus-kibble/client';
import type { village } from './village.ts';

export type Town = [typeof pets, typeof village];

export interface Visit extends Pick<FollowOptions<Town>, 'since' | 'onHome' | 'onEvents' | 'onConnection'> {
  readonly address: string;
  readonly token: string;
  /** At each join: for the town's own messages, and its state. */
  readonly onRoom?: (room: Room) => void;
}

export const enterTown = ({ address, token, onRoom, ...visit }: Visit) => {
  const client = new Client(address);
  const signIn = async () => {
    client.auth.token = token;
  };
  const join = async (since: object) => {
    const room = await client.joinOrCreate('town', since);
    onRoom?.(room);
    return room;
  };
  return followHome<Town>({ ...visit, client, signIn, join, versions: { pets: 1, village: 1 } });
};
