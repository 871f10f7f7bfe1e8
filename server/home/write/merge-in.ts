import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import type { Seed } from '../../domain/chance.ts';
import { Impossible } from '../../domain/draft.ts';
import { fold } from '../../domain/evolve.ts';
import { type Merge, mergeHomes } from '../../domain/merge.ts';
import type { Modules } from '../../domain/modules.ts';
import { openAccount } from '../../domain/open-home.ts';
import { settle } from '../../domain/settle.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { type Commit, commitOf } from '../model/commit.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import { timingRules } from '../model/home-measurement.ts';
import type { HomeChange, HomeStore, ThingName } from '../model/home-store.ts';
import { commandHash, seedOf } from '../model/home-store.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';
import { type Save, saveUnderRules } from './under-rules.ts';

export interface MergeOrder {
  readonly guestId: string;
  readonly accountId: string;
  readonly commandId: string;
  readonly by: string;
  readonly reason: string;
}

/** One of the two homes of a merge. */
export interface MergedHome {
  readonly before: Home;
  readonly after: Home;
  readonly commit: Commit;
}

/** Both homes of a merge; `afterCommit` as in `HandledInTx`. */
export interface MergedInTx {
  readonly guest: MergedHome;
  readonly account: MergedHome;
  /** Things that stayed behind. */
  readonly left: Merge['left'];
  readonly afterCommit: () => void;
}

interface Merging extends MergeOrder {
  readonly rules: RulesInForce;
  readonly store: Pick<HomeStore, 'changeIn'>;
  readonly tx: Tx;
  readonly measure: HomeMeasure | undefined;
}

/**
 * Locks both homes, settles both at one instant, and moves everything. Throws `Impossible` if one of both logs has the
 * `commandId`, or an item's count would exceed the bound. The caller checks that the guest has a home.
 */
export const mergeIn = async (merging: Merging) => {
  const { rules, store, tx, guestId, accountId, commandId, measure } = merging;
  const playerIds = [guestId, accountId];
  const commands = playerIds.map((playerId) => ({ playerId, commandId }));
  const request = { playerIds, commands, waits: true };
  const save: Save = (homes, decide) => store.changeIn(tx, homes, decide);
  const { index, value } = await saveUnderRules({ rules, save, request }, (modules, loaded) => {
    if (loaded.answered.length > 0) throw new Impossible('command/reused', { commandId });
    const guest = loaded.homes.get(guestId) ?? newHome(guestId);
    const account = loaded.homes.get(accountId) ?? newHome(accountId);
    const nowMs = Math.max(loaded.nowMs, guest.lastAtMs, account.lastAtMs);
    const timer = timingRules(modules, measure);
    const seeds = { guest: seedOf(loaded, guestId), account: seedOf(loaded, accountId) };
    const resting = loaded.resting?.get(guestId) ?? [];
    const changes = moved({ ...merging, modules, guest, account, resting, nowMs, seeds });
    timer.ran({ playerId: accountId, events: changes.account.events });
    return {
      changes: [changes.guest, changes.account],
      value: {
        guest: mergedHome(changes.guest, nowMs),
        account: mergedHome(changes.account, nowMs),
        left: changes.left,
      },
    };
  });
  return { merged: value, index };
};

const moved = (
  input: MergeOrder & {
    readonly modules: Modules;
    readonly guest: Home;
    readonly account: Home;
    readonly resting: readonly ThingName[];
    readonly nowMs: number;
    readonly seeds: { readonly guest: Seed; readonly account: Seed };
  },
): { readonly guest: HomeChange; readonly account: HomeChange; readonly left: Merge['left'] } => {
  const { modules, guest, account, nowMs, guestId, accountId, seeds } = input;
  const found = settle(modules, guest, nowMs, seeds.guest);
  const opening = openAccount(modules, account, guest, nowMs);
  const opened = fold(modules, account, opening);
  const ready = settle(modules, opened, nowMs, seeds.account);
  const merge = mergeHomes({ ...input, guest: fold(modules, guest, found), account: fold(modules, opened, ready) });
  const received = fold(modules, opened, [...ready, ...merge.account]);
  // Things of either home may have waited for items of the guest.
  const followed = settle(modules, received, nowMs, seeds.account);
  const hash = commandHash({ type: 'ops:merge', guestId, accountId });
  return {
    guest: changeOf(modules, guest, { earlier: found, own: merge.guest, hash }),
    account: changeOf(modules, account, {
      earlier: [...opening, ...ready],
      own: [...merge.account, ...followed],
      hash,
    }),
    left: merge.left,
  };
};

const changeOf = (
  modules: Modules,
  before: Home,
  {
    earlier,
    own,
    hash,
  }: { readonly earlier: readonly HomeEvent[]; readonly own: readonly HomeEvent[]; readonly hash: string },
): HomeChange => {
  const events = [...earlier, ...own];
  const answerSeq = own.at(-1)?.seq ?? 0;
  return {
    before,
    after: fold(modules, before, events),
    events,
    commands: new Map([[own[0]?.seq ?? 0, { hash, answerSeq }]]),
  };
};

const mergedHome = ({ before, after, events }: HomeChange, nowMs: number): MergedHome => ({
  before,
  after,
  commit: commitOf(before, after, { events, nowMs, answers: [] }),
});
