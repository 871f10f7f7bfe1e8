import { z } from 'zod';
import { PLAYER_ID } from '../ids.ts';
import { LATEST_MS } from '../latest-ms.ts';
import { commandId } from '../protocol.ts';
import { name, namedOf } from '../rules/named.ts';
import { text } from '../text.ts';
import type { OpsRouteName } from './ops-routes.ts';

const MAX_SHIFT_MS = 366 * 86_400_000;
const playerId = z.string().regex(PLAYER_ID, 'is no player id');
const id = text(1, 200);
const timerId = z.string().regex(/^\d{1,18}$/, 'is no timer id');
const jobId = commandId;
/** A field of a thing. */
const field = z.string().regex(/^[\w-]{1,64}$/, 'is no field');
const items = namedOf(name, z.int().min(1).max(1_000_000_000)).refine(
  (counts) => Object.keys(counts).length > 0 && Object.keys(counts).length <= 100,
  'names 1 to 100 items',
);
const byMs = z
  .int()
  .min(-MAX_SHIFT_MS)
  .max(MAX_SHIFT_MS)
  .refine((ms) => ms !== 0, 'must not be 0');

/** Query parameters come as text. */
const number = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, 'is no whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);
const limit = number(1, 500).optional();
const instant = number(0, LATEST_MS).optional();

/** Every write says why, and has an id under which it is done once. `dryRun`: respond as if, and change nothing. */
const write = { commandId, reason: text(3, 500), dryRun: z.boolean().optional() };

export const timerStates = ['scheduled', 'completed', 'cancelled', 'dead'] as const;
export const upcomingWindows = ['1h', '24h', '7d'] as const;

/** Whom a job reaches; all that is named has to hold. */
export const jobFilter = z.strictObject({
  playerIds: z.array(playerId).min(1).max(10_000).optional(),
  /** Has a thing of the module, one that all the rest here holds for. */
  things: z
    .strictObject({
      module: name,
      /** True: has no such thing. */
      isMissing: z.boolean().optional(),
      /** Fields of the thing that are exactly this. */
      fields: namedOf(field, z.union([z.string().max(200), z.number(), z.boolean()])).optional(),
      /** Fields that are this number or more. */
      atLeast: namedOf(field, z.number()).optional(),
    })
    .optional(),
  /** The newest event of the player's log lies in this window. */
  seenFromMs: z.int().min(0).optional(),
  seenToMs: z.int().min(0).optional(),
});
export type JobFilter = z.infer<typeof jobFilter>;

/** What the parts of a path may be. */
export const opsParts = { playerId, timerId, jobId, kind: text(1, 512) } as const;

const nothing = z.strictObject({});
/** `run`: only if the thing is at it. */
const onThing = { module: name, thing: id, run: id.optional() };
const written = z.strictObject(write);

/** The query of a read, the body of a write. */
export const opsInputs = {
  me: nothing,
  overview: nothing,
  search: z.strictObject({ q: text(1, 200), limit: number(1, 50).optional() }),
  player: nothing,
  log: z.strictObject({ beforeSeq: number(1, 2 ** 53).optional(), limit }),
  playerTimers: nothing,
  exportPlayer: nothing,
  /** Of a thing, or of a run, the newest without one. */
  explainThing: z
    .strictObject({ module: name, thing: id.optional(), run: id.optional() })
    .refine(({ thing, run }) => thing !== undefined || run !== undefined, 'names a thing or a run'),
  modules: nothing,
  timers: z.strictObject({
    state: z.enum(timerStates).optional(),
    kind: text(1, 200).optional(),
    owner: text(1, 512).optional(),
    /** Exactly the text of the last error. */
    error: z.string().max(2000).optional(),
    /** Failed at least once; of a scheduled timer of a derived kind that is `stuck`. */
    failed: z.literal('true').optional(),
    fromMs: instant,
    toMs: instant,
    after: text(1, 64).optional(),
    limit,
  }),
  upcoming: z.strictObject({ window: z.enum(upcomingWindows).optional() }),
  timer: nothing,
  explainTimer: nothing,
  failed: nothing,
  audit: z.strictObject({ target: text(1, 200).optional(), before: timerId.optional(), limit }),
  jobs: nothing,
  job: nothing,
  index: nothing,
  clock: nothing,

  grant: z.strictObject({ ...write, items }),
  take: z.strictObject({ ...write, items }),
  shift: z.strictObject({ ...write, ...onThing, byMs }),
  stop: z.strictObject({ ...write, ...onThing }),
  freeze: written,
  unfreeze: written,
  revokeTokens: written,
  /** `endsAtMs`: its `exp`, after which nobody needs to remember it. */
  revokeToken: z.strictObject({ ...write, tokenId: id, endsAtMs: z.int().min(0).optional() }),
  advance: z.strictObject({
    commandId: write.commandId.optional(),
    reason: write.reason.optional(),
    dryRun: write.dryRun,
    byMs: z.int().min(1).max(MAX_SHIFT_MS),
  }),
  shiftTimer: z.strictObject({ ...write, byMs }),
  fireTimer: written,
  pauseTimer: written,
  resumeTimer: written,
  completeTimer: written,
  cancelTimer: written,
  reviveTimer: written,
  reviveDead: z.strictObject({
    ...write,
    kind: text(1, 200),
    error: z.string().max(2000).optional(),
    limit: z.int().min(1).max(1000).optional(),
  }),
  pauseKind: written,
  resumeKind: written,

  erase: written,
  /** `isNew`: the other player may be one without a home; without it that is a fault, since ids are easily mistyped. */
  merge: z.strictObject({ ...write, into: playerId, isNew: z.boolean().optional() }),
  createJob: z.strictObject({
    ...write,
    filter: jobFilter,
    items,
    perSecond: z.int().min(1).max(1000).optional(),
  }),
  stopJob: written,
  resumeJob: written,
  rebuild: written,
  reconcile: written,
  acceptClock: written,
  reshard: z.strictObject({ ...write, shards: z.int().min(1).max(1024) }),
} as const satisfies Readonly<Record<OpsRouteName, z.ZodType>>;

export type OpsInput<Name extends OpsRouteName> = z.output<(typeof opsInputs)[Name]>;
/** What a caller sends: query parameters as text. */
export type OpsAsked<Name extends OpsRouteName> = z.input<(typeof opsInputs)[Name]>;
export type OpsWrite = z.infer<typeof written>;

/** The body of every refusal. Codes are for programs, messages for people. */
export interface OpsError {
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}
