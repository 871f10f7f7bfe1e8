import type { HomeEvent } from '../../shared/event.ts';
import { fieldsText, fillWords } from '../../shared/ops/fill-words.ts';
import { formatsAt, moduleWords } from './module-words.ts';
import { words } from './words.ts';

/** One entry of a log as a sentence: in its module's words, else its name and fields. */
export const eventText = ({ v: _v, seq: _seq, at: _at, type, commandId: _id, ...facts }: HomeEvent, nowMs: number) =>
  factsText(type, facts, nowMs);

/** The same for a step of a ledger. */
export const factsText = (type: string, facts: object, nowMs: number): string => {
  const formats = formatsAt(nowMs);
  const own = moduleWords.value.event(type, facts, formats);
  if (own !== undefined) return own;
  const template = words().log.events[type];
  if (template !== undefined) return fillWords(template, facts, formats);
  const fields = fieldsText(facts, formats);
  return fields === '' ? type : `${type}: ${fields}`;
};

/** A thing's text beside its name and due time. */
export const thingText = (module: string, state: object, nowMs: number): string =>
  moduleWords.value.thing(module, state, formatsAt(nowMs));
