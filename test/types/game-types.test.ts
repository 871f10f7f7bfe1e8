import { definePlugins, Room } from '@colyseus/core';
import type { Client } from '@colyseus/sdk';
import { expectTypeOf, it } from 'vitest';
import { village } from '../../examples/village.ts';
import { createKibble, type Kibble, type KibbleOptions, pets } from '../../server/kibble.ts';
import type { Reply as PetsReply } from '../../shared/pets/protocol.ts';
import type { Reply, ThingsMessage } from '../../shared/protocol.ts';

// The claims are checked by the compiler; nothing here runs.
const open = (pool: KibbleOptions['pool']) =>
  createKibble({ pool, playerId: ({ sub }) => sub, modules: [pets(), village] });

const fromTheServer = async ({ homes }: ReturnType<typeof open>): Promise<void> => {
  const playerId = 'ann';
  const commandId = 'command-1';
  await homes.handle([
    { playerId, type: 'village:upgrade', payload: { commandId, site: 'hall' } },
    { playerId, type: 'home:feed', payload: { commandId, petId: 'ann~p1', food: 'dog-food' } },
    { playerId, type: 'home:grant', payload: { commandId, items: { wood: 10 }, reason: 'gift' } },
  ]);
  // @ts-expect-error there is no such site
  await homes.handle([{ playerId, type: 'village:upgrade', payload: { commandId, site: 'moat' } }]);
  // @ts-expect-error there is no such command
  await homes.handle([{ playerId, type: 'village:burn', payload: { commandId } }]);
  // @ts-expect-error without an id nothing could be sent again
  await homes.handle([{ playerId, type: 'village:upgrade', payload: { site: 'hall' } }]);
};

const roomOf = (kibble: ReturnType<typeof open>) =>
  class TownRoom extends Room {
    override plugins = definePlugins([kibble.plugin()]);
  };

const fromTheClient = async (client: Client): Promise<void> => {
  const room = await client.joinOrCreate<InstanceType<ReturnType<typeof roomOf>>>('town');
  const upgrade = { commandId: 'command-1', site: 'hall' } as const;
  expectTypeOf(await room.request('village:upgrade', upgrade)).toEqualTypeOf<Reply>();
  const feed = { commandId: 'command-2', petId: 'ann~p1', food: 'dog-food' };
  expectTypeOf(await room.request('home:feed', feed)).toEqualTypeOf<PetsReply>();
  room.onMessage('home:things', (message: ThingsMessage) => message.seq);
  // @ts-expect-error there is no such site
  await room.request('village:upgrade', { commandId: 'command-1', site: 'moat' });
  // @ts-expect-error there is no such message
  await room.request('village:burn', {});
};

/** Code that does not know the modules' types may give any command. */
const ofAnyModules = async (pool: KibbleOptions['pool'], modules: KibbleOptions['modules'] & {}): Promise<void> => {
  const { homes } = createKibble({ pool, playerId: ({ sub }) => sub, modules });
  const payload = { commandId: 'command-1', of: 'it' };
  await homes.handle([{ playerId: 'ann', type: 'anything:at-all', payload }]);
};

/** Without `modules` there are the pets, and their payloads are known. */
const ofThePetsAlone = async (pool: KibbleOptions['pool']): Promise<void> => {
  const { homes } = createKibble({ pool, playerId: ({ sub }) => sub });
  const payload = { commandId: 'command-1', name: 'Ada', species: 'cat' };
  await homes.handle([{ playerId: 'ann', type: 'home:adopt', payload }]);
  await homes.handle([
    { playerId: 'ann', type: 'home:adopt', payload: { commandId: 'command-1', name: 'Ada', species: 'cat' } },
  ]);
  // @ts-expect-error there is no such command
  await homes.handle([{ playerId: 'ann', type: 'home:adpot', payload }]);
  // @ts-expect-error a pet has a name
  await homes.handle([{ playerId: 'ann', type: 'home:adopt', payload: { commandId: 'command-1', species: 'cat' } }]);
};

/** A game's interface has no index signature. */
interface Upgrade {
  readonly commandId: string;
  readonly site: string;
}

/** So that a game may pass it on without naming its modules. */
const asPlainKibble = async (pool: KibbleOptions['pool']): Promise<void> => {
  const plain: Kibble = open(pool);
  await plain.homes.handle([{ playerId: 'ann', type: 'village:upgrade', payload: { commandId: 'command-1' } }]);
  await plain.homes.handle([
    { playerId: 'ann', type: 'village:upgrade', payload: { commandId: 'command-1', site: 'hall' } },
  ]);
  const payload: Upgrade = { commandId: 'command-1', site: 'hall' };
  await plain.homes.handle([{ playerId: 'ann', type: 'village:upgrade', payload }]);
};

it('gives the server of a game and its clients the types of the modules', () => {
  for (const claim of [fromTheServer, fromTheClient, ofAnyModules, ofThePetsAlone, asPlainKibble])
    expectTypeOf(claim).toBeFunction();
});
