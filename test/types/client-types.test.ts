import type { Client } from '@colyseus/sdk';
import { expectTypeOf, it } from 'vitest';
import { followHome, type HomeFollower, type SdkClient } from '../../client/follow/follow-home.ts';
import type { village } from '../../examples/village.ts';
import type { pets } from '../../server/kibble.ts';
import type { HomeRoom } from '../../server/room/home-room.ts';
import type { HomeState } from '../../shared/home-state.ts';
import type { PetsEvent } from '../../shared/pets/events.ts';
import type { Pet } from '../../shared/pets/pet.ts';
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

// The claims are checked by the compiler; nothing here runs.
const ofBoth = async (client: SdkClient): Promise<void> => {
  const follower = followHome<[typeof pets, typeof village]>({
    client,
    versions: { pets: 1, village: 1 },
    onHome: ({ things, items }) => {
      expectTypeOf(items).toEqualTypeOf<Readonly<Record<string, number>>>();
      expectTypeOf(things.pets?.['ann~p1']?.state).toEqualTypeOf<Pet | undefined>();
      expectTypeOf(things.village?.hall?.state.level).toEqualTypeOf<number | undefined>();
      expectTypeOf(things.village?.hall?.dueAt).toEqualTypeOf<number | undefined>();
      // @ts-expect-error there is no such module
      things.towers;
    },
    onEvents: (events) => {
      for (const event of events) {
        if (event.type === 'feeding-completed') expectTypeOf(event.petId).toEqualTypeOf<string>();
        if (event.type === 'village/finished') expectTypeOf(event.level).toEqualTypeOf<number>();
        if (event.type === 'village/finished') expectTypeOf(event.thing).toEqualTypeOf<string>();
        if (event.type === 'items-granted') expectTypeOf(event.reason).toEqualTypeOf<string>();
        // @ts-expect-error no module has such an event
        if (event.type === 'village/burnt') return;
      }
    },
  });
  await follower.command('village:upgrade', { site: 'hall' });
  expectTypeOf(await follower.command('home:feed', { petId: 'ann~p1', food: 'dog-food' })).toEqualTypeOf<Reply>();
  expectTypeOf((await follower.quote('village:upgrade', { site: 'hall' }))?.seq).toEqualTypeOf<number | undefined>();
  // @ts-expect-error there is no such site
  await follower.command('village:upgrade', { site: 'moat' });
  // @ts-expect-error there is no such command
  await follower.command('village:burn', {});
  // @ts-expect-error pets keep the names of their messages
  await follower.command('pets:feed', { petId: 'ann~p1', food: 'dog-food' });
};

const ofPetsAlone = (client: SdkClient): HomeFollower => {
  const follower = followHome({
    client,
    onEvents: (events) => expectTypeOf(events).toEqualTypeOf<readonly PetsEvent[]>(),
  });
  expectTypeOf(follower.home?.things.pets?.['ann~p1']?.state).toEqualTypeOf<Pet | undefined>();
  // @ts-expect-error the home is followed for its pets alone
  follower.command('village:upgrade', { site: 'hall' });
  return follower;
};

it('gives a follower the types of the modules that it was told of', () => {
  expectTypeOf(ofBoth).toBeFunction();
  expectTypeOf(ofPetsAlone).toBeFunction();
});
