import type { Pool } from 'pg';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import type { HomeOrder, Homes } from '../../../server/home/model/homes.ts';
import { limits } from '../../../server/settings/config.ts';
import type { Home } from '../../../shared/home.ts';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import type { Command } from '../../../shared/pets/protocol.ts';
import { parseRules } from '../../../shared/pets/rules-file.ts';
import { petsModules } from '../../../testing/pets-engine.ts';

const MEAL_MS = 1000;

/** Rules under which one home can have 100,000 feedings to settle: the most that a rules file allows. */
export const awayRules = (): Catalogue => {
  const parsed = parseRules({
    limits: { petsPerPlayer: 100, autoFeedsPerPet: 1000 },
    foods: { crumb: { workMs: MEAL_MS, xp: 1 } },
    cards: { again: { effect: 'repeat', times: 1 } },
    starter: { items: { crumb: 1_000_000, again: 1_000_000 } },
  });
  if (!parsed.ok) throw new Error(parsed.error.join('\n'));
  return parsed.value;
};

/** A clock of its own for the homes of a database, so that no test must wait for long. */
export class AwayClock {
  nowMs = 1_764_000_000_000;

  store({ pool }: { readonly pool: Pool }): PostgresHomeStore {
    const nowMs = () => this.nowMs;
    return new PostgresHomeStore({
      database: new Database({ pool, schema: 'kibble', nowMs }),
      modules: petsModules(),
      limits: limits.transaction,
    });
  }

  /** A player with pets that all eat, one a little after the other, each with so many armed cards. Then the player is away. */
  async leave(homes: Homes, playerId: string, { pets, armed }: { readonly pets: number; readonly armed: number }) {
    const handle = async (...commands: readonly Command[]): Promise<void> => {
      const outcomes = await homes.handle(commands.map((command) => orderOf(playerId, command)));
      for (const outcome of outcomes) if (!outcome.ok) throw new Error(outcome.error.code);
    };
    for (let pet = 0; pet < pets; pet++) await handle({ type: 'home:adopt', name: `Pet ${pet}`, species: 'dog' });
    for (const { petId } of petsOf(await lookAt(homes, playerId))) {
      this.nowMs += 7;
      await handle(
        { type: 'home:feed', petId, food: 'crumb' },
        ...(armed > 0 ? [{ type: 'home:use-card', petId, card: 'again', count: armed } as const] : []),
      );
    }
    const left = await lookAt(homes, playerId);
    this.nowMs += (armed + 2) * MEAL_MS;
    return left;
  }
}

let orders = 0;
export const orderOf = (playerId: string, command: Command): HomeOrder => {
  orders += 1;
  return { playerId, commandId: `command-${orders}`, command };
};

export const lookAt = async (homes: Homes, playerId: string): Promise<Home> => {
  const [view] = await homes.look([playerId]);
  if (!view) throw new Error('a look at one home must answer one');
  return view.home;
};
