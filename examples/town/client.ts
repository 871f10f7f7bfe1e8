// The town's client, the base of a page. It reconnects after any loss. It learns the commands and the shape of things
// from the modules' types, without their rules.
import { Client, type Room } from '@colyseus/sdk';
import type { pets } from 'colyseus-kibble';
import { type FollowOptions, followHome } from 'colyseus-kibble/client';
import type { village } from './village.ts';

export type Town = [typeof pets, typeof village];

export interface Visit extends Pick<FollowOptions<Town>, 'since' | 'onHome' | 'onEvents' | 'onConnection'> {
  readonly address: string;
  readonly token: string;
  /** Called at each join, for the town's own messages and its state. */
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
