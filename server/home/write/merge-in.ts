import type { Catalogue } from '../../../shared/catalogue.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { fold } from '../../../shared/evolve.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import { openHome } from '../../domain/judge.ts';
import { mergeHomes } from '../../domain/merge.ts';
import { settle } from '../../domain/settle.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { commandHash } from '../model/command-hash.ts';
import type { HomeChange, HomeStore } from '../model/home-store.ts';
import type { Commit } from '../model/homes.ts';

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

interface Merging extends MergeOrder {
  readonly catalogue: Catalogue;
  readonly store: Pick<HomeStore, 'changeIn'>;
  readonly tx: Tx;
}

/** Locks both homes, settles both at one instant, and moves everything. The caller has seen that the guest has a home. */
export const mergeIn = async (merging: Merging) => {
  const { store, tx, guestId, accountId } = merging;
  const request = { playerIds: [guestId, accountId], commands: [], waits: true };
  const { index, value } = await store.changeIn(tx, request, (loaded) => {
    const guest = loaded.homes.get(guestId) ?? newHome(guestId);
    const account = loaded.homes.get(accountId) ?? newHome(accountId);
    const nowMs = Math.max(loaded.nowMs, guest.lastAtMs, account.lastAtMs);
    const changes = moved({ ...merging, guest, account, nowMs });
    return {
      changes: [changes.guest, changes.account],
      value: { guest: mergedHome(changes.guest, nowMs), account: mergedHome(changes.account, nowMs) },
    };
  });
  return { merged: value, index };
};

const moved = (
  input: MergeOrder & {
    readonly catalogue: Catalogue;
    readonly guest: Home;
    readonly account: Home;
    readonly nowMs: number;
  },
): { readonly guest: HomeChange; readonly account: HomeChange } => {
  const { catalogue, guest, account, nowMs, commandId, guestId, accountId } = input;
  const found = settle(guest, nowMs);
  // The starter items of an account without a home are those that come with the guest.
  const opening = account.seq > 0 ? [] : openHome(account, { ...catalogue, starter: { items: {} } }, nowMs);
  const opened = fold(account, opening);
  const ready = settle(opened, nowMs);
  const merge = mergeHomes({ ...input, guest: fold(guest, found), account: fold(opened, ready) });
  const received = fold(fold(opened, ready), merge.account);
  // Food that came with the guest may feed pets of either home that waited for it.
  const followed = settle(received, nowMs);
  const hash = commandHash({ type: 'ops:merge', guestId, accountId });
  return {
    guest: changeOf(guest, found, merge.guest, { commandId, hash }),
    account: changeOf(account, [...opening, ...ready], [...merge.account, ...followed], { commandId, hash }),
  };
};

const changeOf = (
  before: Home,
  earlier: readonly HomeEvent[],
  own: readonly HomeEvent[],
  { hash }: { readonly commandId: string; readonly hash: string },
): HomeChange => {
  const events = [...earlier, ...own];
  const answerSeq = own.at(-1)?.seq ?? 0;
  return {
    before,
    after: fold(before, events),
    events,
    commands: new Map([[own[0]?.seq ?? 0, { hash, answerSeq }]]),
  };
};

const mergedHome = ({ before, after, events }: HomeChange, nowMs: number): MergedHome => ({
  before,
  after,
  commit: { playerId: after.playerId, home: after, events, nowMs, answers: [] },
});
