import { omit } from '../../../shared/omit.ts';
import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsDone, OpsReplied } from '../../../shared/ops/ops-answers.ts';
import type { Command, Reply } from '../../../shared/protocol.ts';
import { ok } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { HomeService } from '../../home/home-service.ts';
import { MOST_RULES_MS } from '../../home/model/home-measurement.ts';
import { type Handles, type OpsCall, type OpsResult, opsRefusal, refuseAs, responsible } from '../perform/ops-call.ts';
import { type AuditStore, perform, playerTarget, summaryOf } from '../perform/perform.ts';

interface Dependencies {
  readonly homes: Pick<HomeService, 'handleIn'>;
  readonly audit: AuditStore;
  readonly modules: Modules;
  readonly uniqueName: () => string;
  readonly hasDevTools: boolean;
}

/** Operators' acts on players: commands like any other, with an entry in the audit. */
export const playerActs = {
  grant: (on, { input: { items, ...write }, ...call }) =>
    act(on, { ...call, write, command: { type: 'home:grant', items, reason: write.reason } }),

  take: (on, { input: { items, ...write }, ...call }) =>
    act(on, { ...call, write, command: { type: 'home:take', items, reason: write.reason } }),

  shift: (on, { input: { module, thing, run, byMs, ...write }, ...call }) => {
    const at = { module, thing, ...(run === undefined ? {} : { run }) };
    const command = { type: 'ops:shift', ...at, byMs, ...responsible(call.operator, write) } as const;
    return act(on, { ...call, write, command });
  },

  stop: (on, { input: { module, thing, run, ...write }, ...call }) => {
    const at = { module, thing, ...(run === undefined ? {} : { run }) };
    return act(on, { ...call, write, command: { type: 'ops:stop', ...at, ...responsible(call.operator, write) } });
  },

  freeze: (on, { input: write, ...call }) =>
    act(on, { ...call, write, command: { type: 'ops:freeze', ...responsible(call.operator, write) } }),

  unfreeze: (on, { input: write, ...call }) =>
    act(on, { ...call, write, command: { type: 'ops:unfreeze', ...responsible(call.operator, write) } }),

  /** For testers: moves all due times nearer. A missing id is made here. */
  advance: async (on, { input, ...call }) => {
    if (!on.hasDevTools) return opsRefusal('ops/not-here', { needs: 'DEV_TOOLS=1' });
    const { commandId = `advance-${on.uniqueName()}`, reason = 'testing', dryRun, byMs } = input;
    const write: OpsWrite = { commandId, reason, ...(dryRun === undefined ? {} : { dryRun }) };
    return act(on, { ...call, write, command: { type: 'ops:advance', byMs, ...responsible(call.operator, write) } });
  },
} satisfies Handles<Dependencies>;

interface Act extends Pick<OpsCall<'grant'>, 'operator' | 'parts'> {
  readonly write: OpsWrite;
  readonly command: Command | OperatorCommand;
}

const act = (
  { homes, audit, modules }: Dependencies,
  { operator, parts: { playerId }, write, command }: Act,
): Promise<OpsResult<OpsDone<OpsReplied>>> => {
  // `ops:shift` is `shift` in the audit; operator and reason are recorded beside the body.
  const action = command.type.slice(command.type.indexOf(':') + 1);
  const body = omit(command, 'by', 'reason');
  const order = { actor: operator.name, action, target: playerTarget(playerId), write, body };
  return perform(audit, order, async (tx) => {
    const orders = [{ playerId, commandId: write.commandId, command }];
    const handled = await homes.handleIn(tx, orders, MOST_RULES_MS);
    const home = handled.homes.get(playerId);
    const [outcome] = handled.outcomes;
    if (!home || home.before.seq === 0) return opsRefusal('player/unknown', { playerId });
    if (!outcome?.ok) return outcome ? refuseAs(modules, outcome.error) : opsRefusal('server/unavailable');
    return ok({
      before: summaryOf(modules, home.before),
      after: summaryOf(modules, home.after),
      answer: repliedOf(outcome.value),
      afterCommit: handled.afterCommit,
    });
  });
};

const repliedOf = ({ seq, events, dueAt }: Reply): OpsReplied => ({
  seq,
  events,
  ...(typeof dueAt === 'number' && { dueAt }),
});
