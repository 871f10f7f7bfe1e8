import type { Client } from '@colyseus/sdk';
import { expectTypeOf, it } from 'vitest';
import type { HomeRoom } from '../../server/room/home-room.ts';
import type { HomeState } from '../../shared/home-state.ts';
import type { EventsMessage, QuoteReply, Reply, SyncReply } from '../../shared/pets/protocol.ts';
import type { TimeReply } from '../../shared/protocol.ts';

// The claims are checked by the compiler; nothing here runs.
const claims = async (client: Client): Promise<void> => {
  const room = await client.joinOrCreate<HomeRoom>('home', { afterSeq: 1 });
  expectTypeOf(room.state).toEqualTypeOf<HomeState>();

  const feed = { commandId: 'command-1', petId: 'a~p2', food: 'dog-food' };
  expectTypeOf(await room.request('home:feed', feed)).toEqualTypeOf<Reply>();
  expectTypeOf(await room.request('home:sync', { afterSeq: 1 })).toEqualTypeOf<SyncReply>();
  expectTypeOf(await room.request('home:time')).toEqualTypeOf<TimeReply>();
  expectTypeOf(await room.request('home:quote', { command: 'home:feed', payload: feed })).toEqualTypeOf<QuoteReply>();
  room.onMessage('home:events', (message) => expectTypeOf(message).toEqualTypeOf<EventsMessage>());

  // @ts-expect-error a meal needs a pet
  await room.request('home:feed', { commandId: 'command-1', food: 'dog-food' });
  // @ts-expect-error no such message
  await room.request('home:nope', {});
  // @ts-expect-error no such push
  room.onMessage('home:nope', () => undefined);
};

it('gives the client of the SDK the types of every message', () => {
  expectTypeOf(claims).toBeFunction();
});
