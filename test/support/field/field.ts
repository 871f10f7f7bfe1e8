import { z } from 'zod';
import { Modules } from '../../../server/domain/modules.ts';
import { defineModule, type EventOf } from '../../../shared/module/module.ts';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import { petsOfRules } from '../../../shared/pets/pets.ts';

/** Which items of the pets a field takes and gives: they share one stock. */
export interface FieldRules {
  readonly seed: string;
  readonly crop: string;
  /** A card: what grows is ripe sooner by `hurryMs`. */
  readonly hurry: string;
  /** Until an operator says otherwise. */
  readonly growMs: number;
  readonly hurryMs: number;
}

export const BEDS = ['north', 'south', 'west'] as const;
const bed = { bed: z.enum(BEDS) };

/** What a bed gives: drawn by chance. */
export const CROPS = { least: 1, most: 3 };

/**
 * Beds of which one grows at a time, the others wait in line: a module beside the pets that gives them food. How long a bed
 * grows is what operators change.
 */
export const fieldOf = ({ seed, crop, hurry, growMs, hurryMs }: FieldRules) =>
  defineModule({
    name: 'field',
    thing: z.object({
      harvests: z.int(),
      sownAtMs: z.int().optional(),
      growMs: z.int().optional(),
      ripeAtMs: z.int().optional(),
    }),
    initial: { harvests: 0 },
    items: [seed, crop, hurry],
    config: z.strictObject({ growMs: z.int().min(1) }),
    events: {
      sown: z.object({ growMs: z.int() }),
      sprouted: z.object({ ripeAt: z.int() }),
      hurried: z.object({ ripeAt: z.int() }),
      ripened: z.object({}),
    },
    commands: { sow: z.object(bed), hurry: z.object(bed) },
  }).rules({
    decide: {
      sow: ({ payload, things, config, refuse }) => {
        const { sownAtMs, ripeAtMs } = things[payload.bed] ?? {};
        if (sownAtMs !== undefined || ripeAtMs !== undefined) return refuse('field/busy');
        return [{ type: 'sown', thing: payload.bed, growMs: config.growMs, items: { [seed]: -1 } }];
      },
      hurry: ({ payload, things, nowMs, refuse }) => {
        const { ripeAtMs } = things[payload.bed] ?? {};
        if (ripeAtMs === undefined) return refuse('field/idle');
        const ripeAt = Math.max(nowMs, ripeAtMs - hurryMs);
        return [{ type: 'hurried', thing: payload.bed, ripeAt, items: { [hurry]: -1 } }];
      },
    },
    evolve: {
      sown: ({ harvests }, { at, growMs }) => ({ harvests, sownAtMs: at, growMs }),
      sprouted: ({ harvests }, { ripeAt }) => ({ harvests, ripeAtMs: ripeAt }),
      hurried: ({ harvests }, { ripeAt }) => ({ harvests, ripeAtMs: ripeAt }),
      ripened: ({ harvests }) => ({ harvests: harvests + 1 }),
    },
    dueAtMs: ({ ripeAtMs }) => ripeAtMs,
    complete: ({ id, chance }) => [
      { type: 'ripened', thing: id, items: { [crop]: chance.whole(CROPS.least, CROPS.most) } },
    ],
    waitingSinceMs: ({ sownAtMs }) => sownAtMs,
    goOn: ({ id, thing, things, nowMs }) =>
      Object.values(things).some((one) => one?.ripeAtMs !== undefined)
        ? []
        : [{ type: 'sprouted', thing: id, ripeAt: nowMs + (thing.growMs ?? 0) }],
  })({ growMs });

export type FieldEvent = EventOf<ReturnType<typeof fieldOf>>;
export type FieldCommand = { readonly type: 'field:sow' | 'field:hurry'; readonly bed: (typeof BEDS)[number] };

/** Two modules in one home: pets, and a field that gives them food. */
export const petsAndField = (catalogue: Catalogue, field: FieldRules): Modules =>
  new Modules([petsOfRules(catalogue), fieldOf(field)]);
