import type { HomeEvent } from '../../shared/event.ts';
import type { Home } from '../../shared/home.ts';
import { countOf } from '../../shared/items.ts';
import { type Command, type EngineCommand, type Reply, reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import { drawingOf } from './chance.ts';
import { decided, drafted, draftLogOf, ruleDecision } from './draft.ts';
import { ownEvent } from './evolve.ts';
import { faultRejection, ModuleFault, ruled } from './module-fault.ts';
import type { Modules, OfModule } from './modules.ts';
import { decideOperator } from './operator-acts.ts';
import { type Case, type Decision, decidingScene, newIdOf, type OperatorCommand, refuse } from './scene.ts';
import { settleSome } from './settle.ts';

export interface Judgement {
  readonly home: Home;
  /** Events that settling brought before the command. They are saved even if the command is refused. */
  readonly settled: readonly HomeEvent[];
  /** The command's own events and their immediate consequences. */
  readonly decision: Decision;
}

/** Settles, decides, settles again: each command goes this way. Throws a `ModuleFault` of settling. */
export const judge = (input: Case): Judgement => {
  const nowMs = Math.max(input.nowMs, input.home.lastAtMs);
  const { events: settled, home } = settledAt(input, nowMs);
  return { settled, ...judgeSettled({ ...input, home, nowMs }) };
};

/** The same for a home that is settled at `nowMs`. */
export const judgeSettled = (input: Case): Omit<Judgement, 'settled'> => {
  const decision = decide(input);
  if (!decision.ok) return { home: input.home, decision };
  const renewal = renew({ ...input, home: decision.home });
  if (!renewal.ok) return { home: input.home, decision: renewal };
  const followed = settledAt({ ...input, home: renewal.home }, input.nowMs);
  const { home } = followed;
  return { home, decision: { ok: true, value: [...decision.value, ...renewal.value, ...followed.events], home } };
};

/** With an accepted command, things that go on by themselves adopt the rules in force. From now on only a fault refuses. */
const renew = ({ modules, home, nowMs }: Pick<Case, 'modules' | 'home' | 'nowMs'>): Decision => {
  const draft = draftLogOf(modules, home);
  try {
    for (const module of modules.all) {
      if (!module.rules.renew || module.isUnreadable) continue;
      const drafts = module.rules.renew(decidingScene(module, draft.home(), nowMs)) ?? [];
      ruled({ module: module.name, rule: 'renew' }, () => draft.addOf(nowMs, { module, rule: 'renew' }, drafts));
    }
  } catch (error) {
    if (error instanceof ModuleFault) return { ...refused(faultRejection(error)), fault: error };
    throw error;
  }
  return decided(draft);
};

const settledAt = ({ modules, home, seed }: Pick<Case, 'modules' | 'home' | 'seed'>, nowMs: number) =>
  settleSome(modules, home, { nowMs, maxEvents: Number.POSITIVE_INFINITY, seed });

/**
 * Makes the reply to a command from its events alone, so the same command sent again gets the same reply. `events`:
 * those of the command and their immediate consequences, at least one.
 */
export const replyOf = (modules: Modules, events: readonly HomeEvent[]): Reply => {
  const module = modules.ofEvent(events[0]?.type ?? '')?.module;
  const own = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found && found.module === module ? [ownEvent(found, event)] : [];
  });
  return { ...module?.rules.reply?.(own), ...plainReplyOf(events) };
};

/** The reply without the fields of the module. */
export const plainReplyOf = (events: readonly HomeEvent[]): Reply => {
  const first = events[0];
  const last = events.at(-1);
  if (!first || !last) throw new Error('an accepted command has at least one event');
  return { seq: last.seq, nowMs: first.at, events };
};

/** Decides what a command does to a home, or refuses it. If a rule fails, only this command fails. */
export const decide = (asked: Case): Decision => {
  const { command, modules, home } = asked;
  if (isOperatorCommand(command)) return decideOperator({ ...asked, command });
  // Only the game's own server gives and takes items: no player can send it.
  if (isMove(command)) return moveItems({ ...asked, command });
  const found = modules.ofCommand(command.type);
  if (!found) return refused(reject('command/invalid', { faults: [{ path: 'type', message: 'is no command' }] }));
  const isServers = found.module.serverOnly.includes(found.own);
  if (home.frozenAtMs !== undefined && !isServers) {
    return refused(reject('player/frozen', { frozenAt: home.frozenAtMs }));
  }
  return decideByModule({ ...asked, command }, found);
};

const isOperatorCommand = (command: Command | OperatorCommand): command is OperatorCommand =>
  command.type.startsWith('ops:');

const isMove = (command: Command): command is EngineCommand =>
  command.type === 'home:grant' || command.type === 'home:take';

const moveItems = ({ modules, home, command, commandId, nowMs }: Case<EngineCommand>): Decision => {
  const sign = command.type === 'home:grant' ? 1 : -1;
  const items: Record<string, number> = {};
  for (const [item, count] of Object.entries(command.items)) {
    if (!modules.knows(item) && countOf(home.items, item) === 0) return refused(reject('item/unknown', { item }));
    items[item] = sign * count;
  }
  return drafted(() => {
    const draft = draftLogOf(modules, home, commandId);
    draft.add(nowMs, { type: 'items-granted', items, reason: command.reason });
    return decided(draft);
  });
};

const decideByModule = ({ home, command, nowMs, ...asked }: Case<Command>, { module, own }: OfModule): Decision => {
  if (module.isUnreadable) return refused(reject('server/unavailable'));
  const { type: _, ...payload } = command;
  const rule = `decide.${own}`;
  const { playerId, seq } = home;
  const drawing = drawingOf(asked.seed, { playerId, module: module.name, rule, thing: '', nextSeq: seq + 1 });
  const { chance } = drawing;
  const scene = { ...decidingScene(module, home, nowMs), payload, newId: newIdOf(module, home), refuse, chance };
  return ruleDecision({ ...asked, home, nowMs }, { module, own: rule, drawing }, () =>
    module.rules.decide[own]?.(scene),
  );
};
