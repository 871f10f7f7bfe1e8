// The town's room: its own state, its own messages, and each citizen's home beside them.
import { type Client, definePlugins, Room } from '@colyseus/core';
import { schema, t } from '@colyseus/schema';
import type { Kibble } from 'colyseus-kibble';
import { z } from 'zod';
import { sellWood } from './market.ts';
import { heroOf } from './token.ts';

const Citizen = schema({ hero: t.string(), waves: t.number() }, 'Citizen');
const TownState = schema({ citizens: t.map(Citizen) }, 'TownState');
const offer = z.object({ wood: z.int().min(1).max(1_000), stallId: z.uuid() });

/** Without `isOffered` the outcome is not known: the client sends the same `stallId` again. */
const unknown = (error: unknown): undefined => {
  console.error(error);
  return undefined;
};

export const createTownRoom = (kibble: Kibble, secret: string) =>
  class TownRoom extends Room<{ state: InstanceType<typeof TownState> }> {
    static override async onAuth(token: string) {
      return { hero: heroOf(token, secret) };
    }

    override state = new TownState();
    override plugins = definePlugins([kibble.plugin()]);
    override messages = {
      sell: {
        format: offer,
        handler: async (client: Client, { wood, stallId }: z.infer<typeof offer>) => {
          // A handler that throws would end the process.
          const isOffered = await sellWood(kibble, { hero: client.auth.hero, wood, stallId }).catch(unknown);
          return isOffered === undefined ? {} : { isOffered };
        },
      },
    };

    override onCreate(): void {
      this.onMessage('wave', (client) => {
        const citizen = this.state.citizens.get(client.sessionId);
        if (!citizen) return;
        citizen.waves += 1;
        this.broadcast('waved', { hero: citizen.hero });
      });
    }

    override onJoin(client: Client, _options?: unknown): void {
      const citizen = new Citizen();
      citizen.hero = client.auth.hero;
      citizen.waves = 0;
      this.state.citizens.set(client.sessionId, citizen);
    }

    override onLeave(client: Client): void {
      this.state.citizens.delete(client.sessionId);
    }
  };
