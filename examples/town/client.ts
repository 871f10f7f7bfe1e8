// The town's client: what a page would be built on. It comes back by itself from any loss of connection.
import { Client } from '@colyseus/sdk';
import { type FollowOptions, followHome } from 'colyseus-kibble/client';

export const enterTown = (address: string, token: string, onEvents: NonNullable<FollowOptions['onEvents']>) => {
  const client = new Client(address);
  const signIn = async () => {
    client.auth.token = token;
  };
  return followHome({ client, signIn, onEvents, join: (since) => client.joinOrCreate('town', since) });
};
