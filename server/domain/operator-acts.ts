import type { HomeEvent } from '../../shared/event.ts';
import { thingsOf } from '../../shared/home.ts';
import { reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import { decided, draftLogOf, ruleDecision } from './draft.ts';
import { runOf, thingDueAt } from './due-of.ts';
import type { LoadedModule } from './modules.ts';
import type { OperatorCommand } from './scene.ts';
import { type Case, type Decision, decidingScene, refuse } from './scene.ts';

type Act<Type extends OperatorCommand['type'] = OperatorCommand['type']> = Case<
  Extract<OperatorCommand, { type: Type }>
>;

/** Decides an operator's act on a home that was settled at the same `nowMs`, or refuses it. Works on frozen homes too. */
export const decideOperator = (act: Act): Decision => {
  const { command } = act;
  switch (command.type) {
    case 'ops:shift':
    case 'ops:stop':
      return actOn({ ...act, command });
    case 'ops:advance':
      return advance({ ...act, command });
    case 'ops:freeze':
    case 'ops:unfreeze':
      return freeze({ ...act, command });
    default:
      return command satisfies never;
  }
};

const actOn = (act: Act<'ops:shift' | 'ops:stop'>): Decision => {
  const { modules, home, command, nowMs } = act;
  const module = modules.named(command.module);
  if (!module) return refused(reject('module/unknown', { module: command.module }));
  const things = thingsOf(home, module.name);
  const thing = Object.hasOwn(things, command.thing) ? things[command.thing] : undefined;
  if (!thing) return refused(reject('thing/unknown', { module: module.name, thing: command.thing }));
  const { by, reason, thing: id } = command;
  // The command names the run as its timer does; the module uses its own name.
  const isItsRun = command.run === runOf(module, home.playerId, { id, thing });
  const run = isItsRun ? (module.rules.run?.(thing, id) ?? id) : command.run;
  if (module.isUnreadable) return refused(reject('server/unavailable'));
  const turn = { ...decidingScene(module, home, nowMs), id, thing, run, by, reason, refuse };
  if (command.type === 'ops:stop') {
    const { stop } = module.rules;
    if (!stop) return refused(reject('module/not-offered', { module: module.name, rule: 'stop' }));
    return ruleDecision(act, { module, own: 'stop' }, () => stop(turn));
  }
  const { shift } = module.rules;
  if (!shift) return refused(reject('module/not-offered', { module: module.name, rule: 'shift' }));
  return ruleDecision(act, { module, own: 'shift' }, () => shift({ ...turn, byMs: command.byMs }));
};

/** Moves all due times nearer, at most to now: for testers. */
const advance = (act: Act<'ops:advance'>): Decision => {
  const { home, command } = act;
  const due = act.modules.all.filter(({ rules }) => rules.shift).flatMap((module) => dueThings(module, act));
  if (due.length === 0) return refused(reject('thing/idle', {}));
  let found = home;
  const events: HomeEvent[] = [];
  for (const { module, thing } of due) {
    const { type: _, ...responsible } = command;
    const moved = actOn({
      ...act,
      home: found,
      commandId: act.commandId,
      command: { ...responsible, type: 'ops:shift', module, thing, byMs: -command.byMs },
    });
    if (!moved.ok) return moved;
    const own = events.length === 0 ? moved.value : moved.value.map(({ commandId: _id, ...event }) => event);
    events.push(...own);
    found = moved.home;
  }
  return { ok: true, value: events, home: found };
};

const dueThings = (module: LoadedModule, { home }: Act) =>
  Object.entries(thingsOf(home, module.name)).flatMap(([id, thing]) =>
    thingDueAt(module, id, thing) === undefined ? [] : [{ module: module.name, thing: id }],
  );

const freeze = ({ modules, home, command, commandId, nowMs }: Act<'ops:freeze' | 'ops:unfreeze'>): Decision => {
  const isFreeze = command.type === 'ops:freeze';
  if (isFreeze === (home.frozenAtMs !== undefined)) {
    return refused(reject(isFreeze ? 'player/frozen' : 'player/not-frozen', {}));
  }
  const draft = draftLogOf(modules, home, commandId);
  const { by, reason } = command;
  draft.add(nowMs, { type: isFreeze ? 'player-frozen' : 'player-unfrozen', by, reason });
  return decided(draft);
};
