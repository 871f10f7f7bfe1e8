import { expectTypeOf, it } from 'vitest';
import { followHome, type HomeFollower, type SdkClient } from '../../client/follow/follow-home.ts';
import type { village } from '../../examples/village.ts';
import type { pets } from '../../server/kibble.ts';
import type { PetsEvent } from '../../shared/pets/events.ts';
import type { Pet } from '../../shared/pets/pet.ts';
import type { Reply } from '../../shared/pets/protocol.ts';

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
