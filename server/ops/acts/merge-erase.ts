import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, thingsOf } from '../../../shared/home.ts';
import { mayBePlayer } from '../../../shared/ids.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';
import type { HomeService } from '../../home/home-service.ts';
import type { Inventory } from '../../home/model/inventory.ts';
import type { RulesInForce } from '../../home/model/rules-in-force.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { type Handles, opsRefusal, responsible } from '../perform/ops-call.ts';
import { type AuditStore, perform, playerTarget, summaryOf } from '../perform/perform.ts';

export interface Erased {
  /** The numbers of removed rows, by table. */
  readonly removed: Readonly<Record<string, number>>;
  /** Other homes that were merged with this one: they may belong to the same person. */
  readonly related: readonly string[];
  readonly index: IndexChanges;
}

export interface EraseStore {
  /** The hash that replaces the player's id after the erasure. */
  hashOf(playerId: string): Promise<string>;
  /** Removes all rows of the player, and the player's name from the audit. Undefined if nothing had it. */
  erase(tx: Tx, playerId: string): Promise<Erased | undefined>;
}

interface Dependencies {
  readonly homes: Pick<HomeService, 'mergeIn' | 'erased'>;
  readonly audit: AuditStore;
  readonly modules: Modules;
  readonly rules: { readonly inForce: RulesInForce };
  readonly erasures: EraseStore;
  readonly inventory: Pick<Inventory, 'merge' | 'erase'>;
}

/** Moves things and items to another player, even beyond the bounds of the rules. */
export const merge = (async (
  { homes, audit, modules, rules, inventory },
  { operator, parts: { playerId: guestId }, input: { into, isNew = false, ...write } },
) => {
  const body = { into, isNew };
  const order = { actor: operator.name, action: 'merge', target: playerTarget(guestId), write, body };
  return perform(audit, order, async (tx) => {
    if (guestId === into) return opsRefusal('player/same', { playerId: into });
    const { guest, account, left, afterCommit } = await homes.mergeIn(tx, {
      guestId,
      accountId: into,
      commandId: write.commandId,
      ...responsible(operator, write),
    });
    if (guest.before.seq === 0) return opsRefusal('player/unknown', { playerId: guestId });
    if (account.before.seq === 0 && !(isNew && mayBePlayer(into)))
      return opsRefusal('player/unknown', { playerId: into });
    // Read under both locks: of two operators at once, the second sees the first one's act.
    if ((await audit.mergedAway(tx, [into])).has(into)) return opsRefusal('player/merged', { playerId: into });
    await inventory.merge?.(tx, { from: guestId, into });
    return ok({
      before: summaryOf(modules, guest.before),
      after: summaryOf(modules, guest.after),
      answer: {
        guest: { seq: guest.after.seq, events: guest.commit.events },
        account: { seq: account.after.seq, events: account.commit.events },
        moved: movedIn(modules, guest.commit.events),
        left,
        aboveLimit: aboveLimit(rules.inForce.current, account.after),
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
}) satisfies Handles<Omit<Dependencies, 'erasures'>>['merge'];

/** The move of each thing, from the event that closed the guest's home. */
const movedIn = (modules: Modules, events: readonly HomeEvent[]): OpsAnswers['merge']['answer']['moved'] => {
  const merged = events.findLast((event) => event.type === 'home-merged');
  return modules.all.flatMap(({ name, thingField }) => {
    const own = merged?.[name];
    if (!Array.isArray(own)) return [];
    return own.map((one) => ({ module: name, thing: String(one[thingField]), becomes: String(one.becomes) }));
  });
};

const aboveLimit = (modules: Modules, home: Home): OpsAnswers['merge']['answer']['aboveLimit'] =>
  modules.all.flatMap(({ name, rules, config }) => {
    const limit = rules.limit?.(config);
    const have = Object.keys(thingsOf(home, name)).length;
    return limit !== undefined && have > limit ? [{ module: name, have, limit }] : [];
  });

/** Removes a player for good. Only an entry of the audit with a hash remains. Followers of the home learn it. */
export const erase = (async (
  { homes, erasures, audit, inventory },
  { operator, parts: { playerId }, input: write },
) => {
  const target = `erased:${await erasures.hashOf(playerId)}`;
  return perform(audit, { actor: operator.name, action: 'erase', target, write, body: {} }, async (tx) => {
    const erased = await erasures.erase(tx, playerId);
    if (!erased) return opsRefusal('player/unknown', { playerId });
    const { removed, related, index } = erased;
    await inventory.erase?.(tx, [playerId]);
    return ok({
      before: undefined,
      after: { removed },
      answer: { removed, related },
      afterCommit: () => homes.erased(playerId, index),
    });
  });
}) satisfies Handles<Omit<Dependencies, 'modules' | 'rules'>>['erase'];
