import type { HomeEvent } from '../../../shared/event.ts';
import type { ModuleWords } from '../../../shared/ops/fill-words.ts';
import { type Formats, fieldsText } from '../../../shared/ops/fill-words.ts';
import type { OpsAnswers, OpsPlayer } from '../../../shared/ops/ops-answers.ts';
import type { OpsExplanation, OpsStep } from '../../../shared/ops/ops-explanation.ts';
import type { OpsThing } from '../../../shared/ops/ops-thing.ts';
import { instant, lasting, table } from './lines.ts';

export const itemsText = (deltas: Readonly<Record<string, number>>): string =>
  Object.entries(deltas)
    .map(([item, count]) => `${count > 0 ? '+' : ''}${count} ${item}`)
    .join(', ');

const formats: Formats = {
  number: String,
  span: (ms) => lasting(ms),
  signed: (ms) => `${ms > 0 ? '+' : ''}${lasting(ms)}`,
  instant,
  items: itemsText,
};

export const playerLines = (player: OpsPlayer, words: ModuleWords): readonly string[] => {
  const { playerId, seq, lastAtMs, nowMs, frozenAtMs, items, things, overdue } = player;
  const held = Object.entries(items).map(([item, count]) => `${count} ${item}`);
  return [
    `player ${playerId}, seq ${seq}, last event ${instant(lastAtMs)}`,
    ...(frozenAtMs === undefined ? [] : [`frozen since ${instant(frozenAtMs)}`]),
    ...(overdue > 0 ? [`${overdue} things are due and not completed yet`] : []),
    `items: ${held.join(', ') || 'none'}`,
    ...table(
      ['module', 'thing', 'title', 'due', 'in', 'what'],
      things.map((thing) => [
        ...[thing.module, thing.id, thing.title, instant(thing.dueAtMs), stateOf(thing, nowMs)],
        words.thing(thing.module, thing.state, formats),
      ]),
    ),
  ];
};

const stateOf = ({ dueAtMs, isOverdue, waitingSinceMs }: OpsThing, nowMs: number): string => {
  if (dueAtMs === undefined) return waitingSinceMs === undefined ? '' : `waits since ${instant(waitingSinceMs)}`;
  return isOverdue ? 'overdue' : lasting(dueAtMs - nowMs);
};

export const logTable = (entries: OpsAnswers['log']['entries'], words: ModuleWords): readonly string[] =>
  table(
    ['seq', 'at', 'written', 'event', 'by', 'run', 'what'],
    entries.map(({ event, readAtMs, actor, run }) => [
      ...[event.seq, instant(event.at), writtenText(readAtMs), event.type, actor, run],
      eventText(event, words),
    ]),
  );

/** The clock reading, if it differs from the event's own time. */
const writtenText = (readAtMs: number | undefined): string => (readAtMs === undefined ? '' : instant(readAtMs));

const eventText = ({ v: _v, seq: _seq, at: _at, type, commandId: _id, ...facts }: HomeEvent, words: ModuleWords) =>
  words.event(type, facts, formats) ?? fieldsText(facts, formats);

export const explanationLines = (explained: OpsExplanation, words: ModuleWords): readonly string[] => [
  headOf(explained),
  ...(explained.isCut ? ['older entries were folded away: it begins with what was kept'] : []),
  ...table(
    ['seq', 'at', 'written', 'what', 'effect', 'due then', 'work left', 'because'],
    explained.steps.map((step) => [
      ...[step.seq, instant(step.at), writtenText(step.readAtMs), step.type],
      step.effectMs === 0 ? '' : formats.signed(step.effectMs),
      ...[instant(step.dueAfterMs), workText(step), because(step, explained, words)],
    ]),
  ),
  explained.isConsistent
    ? 'the timer says the same'
    : `THE TIMER SAYS ${instant(explained.timerDueAtMs)}: run kibble verify`,
];

const headOf = ({ module, thing, title, run, state, dueAtMs, waitingSinceMs }: OpsExplanation): string => {
  const when = waitingSinceMs === undefined ? `due ${instant(dueAtMs)}` : `waits since ${instant(waitingSinceMs)}`;
  const name = title === undefined ? thing : `${thing} (${title})`;
  return `${module} ${name}, run ${run}: ${state}${state === 'running' || state === 'waiting' ? `, ${when}` : ''}`;
};

const because = ({ type, facts }: OpsStep, { module }: OpsExplanation, words: ModuleWords): string =>
  type === 'kept'
    ? words.thing(module, facts, formats)
    : (words.event(type, facts, formats) ?? fieldsText(facts, formats));

const workText = ({ workBefore, workAfter }: OpsStep): string => {
  if (!workAfter) return '';
  const boost = workAfter.boost ? `, ${workAfter.boost.rate}x until ${instant(workAfter.boost.endsAtMs)}` : '';
  const before = workBefore && workBefore.leftMs !== workAfter.leftMs ? `${lasting(workBefore.leftMs)} > ` : '';
  return `${before}${lasting(workAfter.leftMs)}${boost}`;
};
