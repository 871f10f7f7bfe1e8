import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, thingsOf } from '../../../shared/home.ts';
import { mayBePlayer } from '../../../shared/ids.ts';
import { omit } from '../../../shared/omit.ts';
import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsDone, OpsReplied } from '../../../shared/ops/ops-answers.ts';
import type { Command, Reply } from '../../../shared/protocol.ts';
import { ok } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { HomeService } from '../../home/home-service.ts';
import type { Inventory } from '../../home/model/inventory.ts';
import { type AuditStore, playerTarget } from '../perform/audit.ts';
import type { Operator, OpsCall, OpsPlainCall } from '../perform/ops-call.ts';
import { perform } from '../perform/perform.ts';
import { type OpsResult, refuse, refuseAs } from '../perform/refusal.ts';
import { summaryOf } from '../perform/summary.ts';

interface Dependencies {
  readonly homes: Pick<HomeService, 'handleIn' | 'mergeIn'>;
  readonly audit: AuditStore;
  readonly modules: Modules;
  readonly inventory: Pick<Inventory, 'merge'>;
  readonly uniqueName: () => string;
}

interface Act {
  readonly operator: Operator;
  readonly action: 'grant' | 'take' | 'shift' | 'stop' | 'freeze' | 'unfreeze' | 'advance';
  readonly playerId: string;
  readonly write: OpsWrite;
  readonly command: Command | OperatorCommand;
}

/** What operators do to players: commands like any other, with an entry in the audit. */
export class OpsPlayers {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  grant({ operator, parts, input: { items, ...write } }: OpsCall<'grant'>) {
    const command = { type: 'home:grant', items, reason: write.reason } as const;
    return this.#act({ operator, action: 'grant', ...parts, write, command });
  }

  take({ operator, parts, input: { items, ...write } }: OpsCall<'take'>) {
    const command = { type: 'home:take', items, reason: write.reason } as const;
    return this.#act({ operator, action: 'take', ...parts, write, command });
  }

  shift({ operator, parts, input: { module, thing, run, byMs, ...write } }: OpsCall<'shift'>) {
    const on = { module, thing, ...(run === undefined ? {} : { run }) };
    const command = { type: 'ops:shift', ...on, byMs, ...responsible(operator, write) } as const;
    return this.#act({ operator, action: 'shift', ...parts, write, command });
  }

  stop({ operator, parts, input: { module, thing, run, ...write } }: OpsCall<'stop'>) {
    const on = { module, thing, ...(run === undefined ? {} : { run }) };
    const command = { type: 'ops:stop', ...on, ...responsible(operator, write) } as const;
    return this.#act({ operator, action: 'stop', ...parts, write, command });
  }

  freeze({ operator, parts, input: write }: OpsPlainCall) {
    const command = { type: 'ops:freeze', ...responsible(operator, write) } as const;
    return this.#act({ operator, action: 'freeze', ...parts, write, command });
  }

  unfreeze({ operator, parts, input: write }: OpsPlainCall) {
    const command = { type: 'ops:unfreeze', ...responsible(operator, write) } as const;
    return this.#act({ operator, action: 'unfreeze', ...parts, write, command });
  }

  /** For testers: all that is due comes nearer. Without an id it gets one. */
  advance({ operator, parts, input }: OpsCall<'advance'>) {
    const { commandId = `advance-${this.#dependencies.uniqueName()}`, reason = 'testing', dryRun, byMs } = input;
    const write: OpsWrite = { commandId, reason, ...(dryRun === undefined ? {} : { dryRun }) };
    const command = { type: 'ops:advance', byMs, ...responsible(operator, write) } as const;
    return this.#act({ operator, action: 'advance', ...parts, write, command });
  }

  /** Moves things and items to another player, also above what rules let a player get: nobody has to be left behind. */
  merge({ operator, parts: { playerId: guestId }, input }: OpsCall<'merge'>): Promise<OpsResult<OpsAnswers['merge']>> {
    const { homes, audit, modules, inventory } = this.#dependencies;
    const { into, isNew = false, ...write } = input;
    const order = {
      actor: operator.name,
      action: 'merge',
      target: playerTarget(guestId),
      write,
      body: { into, isNew },
    };
    return perform(audit, order, async (tx) => {
      if (guestId === into) return refuse('player/same', { playerId: into });
      const { guest, account, left, afterCommit } = await homes.mergeIn(tx, {
        guestId,
        accountId: into,
        commandId: write.commandId,
        ...responsible(operator, write),
      });
      if (guest.before.seq === 0) return refuse('player/unknown', { playerId: guestId });
      if (account.before.seq === 0 && !(isNew && mayBePlayer(into)))
        return refuse('player/unknown', { playerId: into });
      // Asked for under both locks: of two operators at once the second sees what the first did.
      if (await audit.isMergedAway(tx, into)) return refuse('player/merged', { playerId: into });
      await inventory.merge?.(tx, { from: guestId, into });
      return ok({
        before: summaryOf(modules, guest.before),
        after: summaryOf(modules, guest.after),
        answer: {
          guest: { seq: guest.after.seq, events: guest.commit.events },
          account: { seq: account.after.seq, events: account.commit.events },
          moved: movedIn(modules, guest.commit.events),
          left,
          aboveLimit: aboveLimit(modules, account.after),
        },
        others: [
          {
            target: playerTarget(into),
            before: summaryOf(modules, account.before),
            after: summaryOf(modules, account.after),
          },
        ],
        afterCommit,
      });
    });
  }

  #act({ operator, action, playerId, write, command }: Act): Promise<OpsResult<OpsDone<OpsReplied>>> {
    const { homes, audit, modules } = this.#dependencies;
    // Who and why are told beside the body.
    const body = omit(command, 'by', 'reason');
    return perform(audit, { actor: operator.name, action, target: playerTarget(playerId), write, body }, async (tx) => {
      const handled = await homes.handleIn(tx, [{ playerId, commandId: write.commandId, command }]);
      const home = handled.homes.get(playerId);
      const [outcome] = handled.outcomes;
      if (!home || home.before.seq === 0) return refuse('player/unknown', { playerId });
      if (!outcome?.ok) return outcome ? refuseAs(modules, outcome.error) : refuse('server/unavailable');
      return ok({
        before: summaryOf(modules, home.before),
        after: summaryOf(modules, home.after),
        answer: repliedOf(outcome.value),
        afterCommit: handled.afterCommit,
      });
    });
  }
}

const responsible = ({ name }: Operator, { reason }: OpsWrite) => ({ by: name, reason });

/** What became of each thing, as the event says that closed the guest's home. */
const movedIn = (modules: Modules, events: readonly HomeEvent[]): OpsAnswers['merge']['answer']['moved'] => {
  const merged = events.findLast((event) => event.type === 'home-merged');
  return modules.all.flatMap(({ name, thingField }) => {
    const own = merged?.[name];
    if (!Array.isArray(own)) return [];
    return own.map((one) => ({ module: name, thing: String(one[thingField]), becomes: String(one.becomes) }));
  });
};

const aboveLimit = (modules: Modules, home: Home): OpsAnswers['merge']['answer']['aboveLimit'] =>
  modules.all.flatMap(({ name, rules }) => {
    const limit = rules.limit?.();
    const have = Object.keys(thingsOf(home, name)).length;
    return limit !== undefined && have > limit ? [{ module: name, have, limit }] : [];
  });

const repliedOf = ({ seq, events, dueAt }: Reply): OpsReplied => ({
  seq,
  events,
  ...(typeof dueAt === 'number' && { dueAt }),
});
