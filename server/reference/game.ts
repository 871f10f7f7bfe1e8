import type { AnyModule } from '../../shared/module/module.ts';
import { petsOfRules } from '../../shared/pets/pets.ts';
import type { WorksCatalogue, WorksRules } from '../../shared/works/rules-file.ts';
import { worksNamed } from '../../shared/works/works.ts';
import { parseRulesFile, RulesRefused, TOWN } from '../settings/rules.ts';

export interface ReferenceGame {
  readonly modules: readonly AnyModule[];
  /** The given rules of its works, by the module's name. */
  readonly works: Readonly<Record<string, WorksCatalogue>>;
  /** Modules of which players may have things by an earlier file: these rest until a file has them again. */
  readonly retired: readonly string[];
}

/** The game of a `RULES_FILE`'s content; without one the example game. Throws `RulesRefused` with the faults of all parts. */
export const gameOf = (json: unknown = { works: exampleTown }): ReferenceGame => {
  const rules = parseRulesFile(json);
  if (!rules.ok) throw new RulesRefused(rules.error);
  const { works, json: given } = rules.value;
  const pets = petsOfRules(rules.value.pets, given.pets);
  if (!works) return { modules: [pets], works: {}, retired: [TOWN] };
  return { modules: [pets, worksNamed(TOWN)(given.works as WorksRules)], works: { [TOWN]: works }, retired: [] };
};

/** The works of the example game. A rules file replaces or drops them. */
export const exampleTown: WorksRules = {
  starter: { items: { wood: 60, gold: 60, seed: 8, gem: 12 } },
  things: { hall: { limit: 1 }, plot: { limit: 3, takes: { gold: 10 } }, chest: { limit: 1 } },
  slots: { builders: { base: 2, item: 'builder', queue: 2 } },
  activities: {
    upgrade: {
      on: ['hall'],
      slot: 'builders',
      workMs: ['5m', '1h', '6h', '1d'],
      takes: [{ wood: 10 }, { wood: 20, wheat: 3 }, { wood: 60, wheat: 12 }, { wood: 200, wheat: 40, gold: 100 }],
      gives: { level: 1 },
    },
    enlarge: {
      on: ['plot'],
      slot: 'builders',
      workMs: ['30m', '4h'],
      takes: [{ wood: 10 }, { wood: 40, gold: 20 }],
      gives: { level: 1 },
      needs: { hall: 1 },
    },
    wheat: {
      on: ['plot'],
      workMs: '15m',
      takes: { seed: 1 },
      gives: [{ wheat: 3 }, { wheat: 5 }, { wheat: 8 }],
      collect: true,
    },
    open: { on: ['chest'], workMs: '2h', gives: { gold: 20, wood: 20, seed: 4 }, collect: true },
  },
  cards: {
    gem: { effect: 'finish', msEach: '10m' },
    'speed-up': { effect: 'cut', workMs: '2h' },
    boost: { effect: 'rate', rate: 2, lastsMs: '1h' },
  },
  cancelGivesBack: 0.5,
};
