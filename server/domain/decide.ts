import { countOf } from '../../shared/items.ts';
import { type Command, type EngineCommand, reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import { decided, draftLogOf } from './draft.ts';
import type { OfModule } from './modules.ts';
import { decideOperator } from './operator-acts.ts';
import type { OperatorCommand } from './scene.ts';
import { type Case, type Decision, newIdOf, refuse, sceneOf } from './scene.ts';
import { drafted, written } from './written.ts';

/** What a command does to a home, or why it may not be. A rule that fails costs this command alone. */
export const decide = (asked: Case): Decision => {
  const { command, modules, home } = asked;
  if (isOperatorCommand(command)) return decideOperator({ ...asked, command });
  // What the game's own server gives or takes is not the player's doing.
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
    if (!modules.uses(item) && countOf(home.items, item) === 0) return refused(reject('item/unknown', { item }));
    items[item] = sign * count;
  }
  return drafted(() => {
    const draft = draftLogOf(modules, home, commandId);
    draft.add(nowMs, { type: 'items-granted', items, reason: command.reason });
    return decided(draft);
  });
};

const decideByModule = ({ home, command, nowMs, ...asked }: Case<Command>, { module, own }: OfModule): Decision => {
  const { type: _, ...payload } = command;
  const scene = { ...sceneOf(module, home, nowMs), payload, newId: newIdOf(module, home), refuse };
  return written({ ...asked, home, nowMs }, { module, own: `decide.${own}` }, () => module.rules.decide[own]?.(scene));
};
