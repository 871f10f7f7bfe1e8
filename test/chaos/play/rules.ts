import type { Rules } from '../evidence/evidence.ts';

/** Short meals, little food for chains, and few enough cards that they run out: everything happens within seconds. */
export const petRules = {
  limits: { petsPerPlayer: 3, autoFeedsPerPet: 2, undoMs: 400, boostMs: 3_600_000 },
  starter: { items: { crumb: 25, snack: 25, feast: 8, 'speed-up': 20, boost: 12, 'auto-feed': 30 } },
  foods: {
    crumb: { workMs: 200, xp: 1 },
    snack: { workMs: 900, xp: 3 },
    feast: { workMs: 2500, xp: 10 },
  },
  cards: {
    'speed-up': { effect: 'cut', workMs: 350 },
    boost: { effect: 'rate', rate: 2, lastsMs: 700 },
    'auto-feed': { effect: 'repeat', times: 1 },
  },
} as const satisfies Omit<Rules, 'field'>;

export const rules = {
  ...petRules,
  // What it takes and gives is what pets eat: they wait for each other.
  field: { seed: 'feast', crop: 'crumb', hurry: 'speed-up', growMs: 500, hurryMs: 200 },
} as const satisfies Rules;
