import { ownEntry } from '../items.ts';
import type { Asked, Refusal, Refuse } from '../module/module.ts';
import { ok, type Result, refused } from '../result.ts';
import { boosted, canBoost, cut, dueAtMs, restate } from '../work.ts';
import type { WorksDraft, WorksPayload } from './contract.ts';
import type { Decided } from './decide.ts';
import { MAX_BOOST_DAYS, type WorksCatalogue } from './rules-file.ts';
import { type Running, repeatsOf, runningOf, type WorksThing } from './thing.ts';
import { whyClosed } from './window.ts';

type AskedCard = Asked<WorksThing, WorksPayload<'use-card'>, WorksCatalogue>;
type Card = WorksCatalogue['cards'][string];

const MAX_BOOST_MS = MAX_BOOST_DAYS * 86_400_000;
/** The most repetitions that can be armed on one thing. */
const MOST_REPEATS = 10_000;

/** Plays cards of one kind on the running order, all or none. */
export const playCard = (asked: AskedCard, thing: WorksThing): Decided => {
  const { payload, config, refuse } = asked;
  const card = ownEntry(config.cards, payload.card);
  if (!card) return refuse('item/unknown', { item: payload.card });
  const closed = whyClosed(asked, card);
  if (closed) return closed;
  const task = runningOf(thing);
  if (payload.run !== undefined && payload.run !== task?.run) {
    return refuse('works/already-done', { thing: payload.thing, run: payload.run });
  }
  if (!task) return refuse('works/not-running', { thing: payload.thing });
  const misfit = misfitOf(payload, card);
  if (misfit) return refuse('command/invalid', { faults: [misfit] });
  const effect = effectOf({ asked, thing, task, card, count: payload.count ?? 1 });
  if (!effect.ok) return effect.error;
  const { count } = effect.value;
  const used = { type: 'card-used', thing: payload.thing, run: task.run, card: payload.card } as const;
  return [{ ...used, ...effect.value, items: { [payload.card]: -count } }];
};

const OF_EFFECT = { count: ['cut', 'rate', 'repeat'], maxCount: ['finish'], maxWastedMs: ['cut'] } as const;

/** A field without meaning for this card, which would otherwise be ignored silently. */
const misfitOf = (payload: WorksPayload<'use-card'>, { effect }: Card) => {
  for (const [field, effects] of Object.entries(OF_EFFECT)) {
    const isGiven = payload[field as keyof typeof OF_EFFECT] !== undefined;
    if (isGiven && !effects.some((one) => one === effect)) {
      return { path: field, message: `is for cards that ${effects.join(' or ')}` };
    }
  }
  return undefined;
};

interface Play {
  readonly asked: AskedCard;
  readonly thing: WorksThing;
  readonly task: Running;
  readonly card: Card;
  readonly count: number;
}

type Effect = Omit<Extract<WorksDraft, { type: 'card-used' }>, 'type' | 'thing' | 'run' | 'card' | 'items'>;

const effectOf = (play: Play): Result<Effect, Refusal> => {
  const { card } = play;
  switch (card.effect) {
    case 'finish':
      return finishEffect(play, card.msEach);
    case 'cut':
      return cutEffect(play, card.workMs);
    case 'rate':
      return rateEffect(play, card.rate, card.lastsMs);
    case 'repeat':
      return repeatEffect(play, card.times);
    default:
      return card satisfies never;
  }
};

const no = (refuse: Refuse, ...why: Parameters<Refuse>): Result<never, Refusal> => refused(refuse(...why));

/** As many cards as the remaining time costs. */
const finishEffect = ({ asked, thing, task }: Play, msEach: number): Result<Effect, Refusal> => {
  const { payload, nowMs, refuse } = asked;
  const count = Math.max(1, Math.ceil((dueAtMs(task.work, thing.boost) - nowMs) / msEach));
  if (payload.maxCount !== undefined && count > payload.maxCount) return no(refuse, 'card/would-cost', { count });
  return ok({ effect: 'finish', count, workLeftMs: 0, dueAt: nowMs });
};

const cutEffect = ({ asked, thing, task, count }: Play, workMs: number): Result<Effect, Refusal> => {
  const { payload, nowMs, refuse } = asked;
  const { work, wastedMs } = cut(restate(task.work, thing.boost, nowMs), workMs * count);
  const { maxWastedMs } = payload;
  if (maxWastedMs !== undefined && wastedMs > maxWastedMs) {
    return no(refuse, 'card/would-waste', { wastedMs, maxWastedMs });
  }
  return ok({ effect: 'cut', count, workLeftMs: work.leftMs, dueAt: dueAtMs(work, thing.boost), wastedMs });
};

const rateEffect = ({ asked, thing, task, count }: Play, rate: number, lastsMs: number): Result<Effect, Refusal> => {
  const { nowMs, refuse } = asked;
  if (!canBoost(thing.boost, rate, nowMs)) {
    return no(refuse, 'boost/other-rate', { rate: thing.boost?.rate, endsAt: thing.boost?.endsAtMs });
  }
  const work = restate(task.work, thing.boost, nowMs);
  const boost = boosted(thing.boost, rate, lastsMs * count, nowMs);
  if (boost.endsAtMs - nowMs > MAX_BOOST_MS) {
    return no(refuse, 'boost/too-long', { endsAt: boost.endsAtMs, maxMs: MAX_BOOST_MS });
  }
  return ok({ effect: 'rate', count, workLeftMs: work.leftMs, dueAt: dueAtMs(work, boost), boost });
};

const repeatEffect = ({ asked, thing, task, count }: Play, times: number): Result<Effect, Refusal> => {
  const { payload, nowMs, refuse } = asked;
  if (!task.order.isRepeatable) {
    return no(refuse, 'card/not-here', { card: payload.card, activity: task.order.activity });
  }
  const have = repeatsOf(task.armed);
  if (have + times * count > MOST_REPEATS) return no(refuse, 'works/repeats-full', { have, max: MOST_REPEATS });
  const work = restate(task.work, thing.boost, nowMs);
  return ok({ effect: 'repeat', count, times, workLeftMs: work.leftMs, dueAt: dueAtMs(work, thing.boost) });
};
