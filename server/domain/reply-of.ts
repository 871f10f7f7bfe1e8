import type { HomeEvent } from '../../shared/event.ts';
import type { Reply } from '../../shared/protocol.ts';
import { ownEvent } from './evolve.ts';
import type { Modules } from './modules.ts';

/**
 * The reply to a command, from its events alone: so the same command sent again gets the very same reply.
 * `events` are those of the command and of what it set off at once; there is at least one.
 */
export const replyOf = (modules: Modules, events: readonly HomeEvent[]): Reply => {
  const first = events[0];
  const last = events.at(-1);
  if (!first || !last) throw new Error('an accepted command has at least one event');
  const module = modules.ofEvent(first.type)?.module;
  const own = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found && found.module === module ? [ownEvent(found, event)] : [];
  });
  return { ...module?.rules.reply?.(own), seq: last.seq, nowMs: first.at, events };
};
