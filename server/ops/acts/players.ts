import { omit } from '../../../shared/omit.ts';
import type { OpsAnswers, OpsDone, OpsReplied } from '../../../shared/ops/ops-answers.ts';
import type { OpsInput, OpsWrite } from '../../../shared/ops/ops-protocol.ts';
import { PETS, petsOf } from '../../../shared/pets/pet.ts';
import type { Command, Reply } from '../../../shared/protocol.ts';
import { ok } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { HomeService } from '../../home/home-service.ts';
import { type AuditStore, playerTarget } from '../perform/audit.ts';
import { perform } from '../perform/perform.ts';
import { type OpsResult, refuse, refuseAs } from '../perform/refusal.ts';
import { summaryOf } from '../perform/summary.ts';

interface Dependencies {
  readonly homes: Pick<HomeService, 'handleIn' | 'mergeIn'>;
  readonly audit: AuditStore;
  readonly petsPerPlayer: number;
  readonly modules: Modules;
}

interface Act {
  readonly actor: string;
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

  grant(actor: string, playerId: string, { items, ...write }: OpsInput<'grant'>) {
    const command = { type: 'home:grant', items, reason: write.reason } as const;
    return this.#act({ actor, action: 'grant', playerId, write, command });
  }

  take(actor: string, playerId: string, { items, ...write }: OpsInput<'take'>) {
    const command = { type: 'home:take', items, reason: write.reason } as const;
    return this.#act({ actor, action: 'take', playerId, write, command });
  }

  shift(actor: string, playerId: string, { petId, feedingId, byMs, ...write }: OpsInput<'shift'>) {
    const on = { module: PETS, thing: petId, ...(feedingId === undefined ? {} : { run: feedingId }) };
    const command = { type: 'ops:shift', ...on, byMs, ...responsible(actor, write) } as const;
    return this.#act({ actor, action: 'shift', playerId, write, command });
  }

  stop(actor: string, playerId: string, { petId, feedingId, ...write }: OpsInput<'stop'>) {
    const on = { module: PETS, thing: petId, ...(feedingId === undefined ? {} : { run: feedingId }) };
    const command = { type: 'ops:stop', ...on, ...responsible(actor, write) } as const;
    return this.#act({ actor, action: 'stop', playerId, write, command });
  }

  freeze(actor: string, playerId: string, write: OpsWrite) {
    const command = { type: 'ops:freeze', ...responsible(actor, write) } as const;
    return this.#act({ actor, action: 'freeze', playerId, write, command });
  }

  unfreeze(actor: string, playerId: string, write: OpsWrite) {
    const command = { type: 'ops:unfreeze', ...responsible(actor, write) } as const;
    return this.#act({ actor, action: 'unfreeze', playerId, write, command });
  }

  advance(actor: string, playerId: string, { byMs, ...write }: OpsWrite & { readonly byMs: number }) {
    const command = { type: 'ops:advance', byMs, ...responsible(actor, write) } as const;
    return this.#act({ actor, action: 'advance', playerId, write, command });
  }

  /** Moves pets and items of `guestId` to another player. Above the limit of pets too: nobody has to be left behind. */
  merge(
    actor: string,
    guestId: string,
    { into, isNew = false, ...write }: OpsInput<'merge'>,
  ): Promise<OpsResult<OpsAnswers['merge']>> {
    const { homes, audit, petsPerPlayer, modules } = this.#dependencies;
    const target = playerTarget(guestId);
    return perform(audit, { actor, action: 'merge', target, write, body: { into, isNew } }, async (tx) => {
      if (guestId === into) return refuse('player/same', { playerId: into });
      const { guest, account, afterCommit } = await homes.mergeIn(tx, {
        guestId,
        accountId: into,
        commandId: write.commandId,
        ...responsible(actor, write),
      });
      if (guest.before.seq === 0) return refuse('player/unknown', { playerId: guestId });
      if (account.before.seq === 0 && !isNew) return refuse('player/unknown', { playerId: into });
      const moved = guest.commit.events.findLast((event) => event.type === 'home-merged');
      const pets = moved ? (moved.pets as readonly { readonly petId: string; readonly becomes: string }[]) : [];
      const isAboveLimit = petsOf(account.after).length > petsPerPlayer;
      return ok({
        before: summaryOf(modules, guest.before),
        after: summaryOf(modules, guest.after),
        answer: {
          guest: { seq: guest.after.seq, events: guest.commit.events },
          account: { seq: account.after.seq, events: account.commit.events },
          pets: Object.fromEntries(pets.map(({ petId, becomes }) => [petId, becomes])),
          isAboveLimit,
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

  #act({ actor, action, playerId, write, command }: Act): Promise<OpsResult<OpsDone<OpsReplied>>> {
    const { homes, audit, modules } = this.#dependencies;
    // Who and why are told beside the body.
    const body = omit(command, 'by', 'reason');
    return perform(audit, { actor, action, target: playerTarget(playerId), write, body }, async (tx) => {
      const handled = await homes.handleIn(tx, [{ playerId, commandId: write.commandId, command }]);
      const home = handled.homes.get(playerId);
      const [outcome] = handled.outcomes;
      if (!home || home.before.seq === 0) return refuse('player/unknown', { playerId });
      if (!outcome?.ok) return outcome ? refuseAs(outcome.error) : refuse('server/unavailable');
      return ok({
        before: summaryOf(modules, home.before),
        after: summaryOf(modules, home.after),
        answer: repliedOf(outcome.value),
        afterCommit: handled.afterCommit,
      });
    });
  }
}

const responsible = (by: string, { reason }: OpsWrite) => ({ by, reason });

const repliedOf = ({ seq, events, dueAt }: Reply): OpsReplied => ({
  seq,
  events,
  ...(typeof dueAt === 'number' && { dueAt }),
});
