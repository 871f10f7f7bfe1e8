import { z } from 'zod';
import { TIMER_ID } from '../../shared/ids.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import type { OpsAct } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { Input } from '../../shared/ops/input.ts';
import { jobFilter, playerId, storedText } from '../../shared/ops/job-filter.ts';
import { commandId, itemCounts } from '../../shared/protocol.ts';
import { name, text } from '../../shared/rule-shapes.ts';

const MAX_SHIFT_MS = 366 * 86_400_000;
const timerId = z.string().regex(TIMER_ID, 'is no timer id');
const shift = z
  .int()
  .min(-MAX_SHIFT_MS)
  .max(MAX_SHIFT_MS)
  .refine((ms) => ms !== 0, 'must not be 0');

/** Query parameters arrive as text. */
const numberIn = (from: number, to: number) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, 'is no whole number')
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be from ${from} to ${to}`);

const checkOf = (input: Input, isQuery: boolean): z.ZodType => {
  if ('of' in input) return z.enum(input.of);
  if ('from' in input && input.type === 'text') return text(input.from, input.to);
  if ('from' in input) return isQuery ? numberIn(input.from, input.to) : z.int().min(input.from).max(input.to);
  if (input.type === 'instant') return isQuery ? numberIn(0, LATEST_MS) : z.int().min(0);
  return plain[input.type as keyof typeof plain];
};

const plain = {
  raw: storedText(2000),
  name,
  player: playerId,
  timer: timerId,
  command: commandId,
  shift,
  duration: z.int().min(1).max(MAX_SHIFT_MS),
  flag: z.boolean(),
  items: itemCounts,
  filter: jobFilter,
  json: z.json(),
} as const;

const schemaOf = ({ method, input, needsOne }: OpsAct): z.ZodType => {
  const fields = Object.entries(input).map(([field, one]) => {
    const check = checkOf(one, method === 'GET');
    return [field, one.isOptional ? check.optional() : check];
  });
  const object = z.strictObject(Object.fromEntries(fields));
  if (!needsOne) return object;
  return object.refine(
    (given) => needsOne.some((field) => given[field] !== undefined),
    `names a ${needsOne.join(' or a ')}`,
  );
};

/** The schema for the query of a read, or the body of a write. */
export const opsSchemas = Object.fromEntries(
  Object.entries<OpsAct>(opsActs).map(([act, route]) => [act, schemaOf(route)]),
) as Readonly<Record<OpsRouteName, z.ZodType>>;

export const opsParts = { playerId, timerId, jobId: commandId, kind: text(1, 512), module: text(1, 32) } as const;
