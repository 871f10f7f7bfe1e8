// A TypeScript game's use of each entry. Compiled against the packed package, with `skipLibCheck: false`.
import { createKibble, type Inventory, type Kibble, pets, type TimerKind, type Tx } from 'colyseus-kibble';
import { followHome } from 'colyseus-kibble/client';
import { defineModule } from 'colyseus-kibble/module';
import { addOpsApi, type OpsApiOptions } from 'colyseus-kibble/ops';
import { HomeState } from 'colyseus-kibble/room';
import { ManualClock, startTestDatabase } from 'colyseus-kibble/testing';
import { createTimers } from 'colyseus-kibble/timers';
import { cut } from 'colyseus-kibble/work';
import express from 'express';
import pg from 'pg';

export const goldOf = async (tx: Tx, owner: string): Promise<number | undefined> => {
  const { rows } = await tx.query<{ amount: number }>('select amount from gold where owner = $1', [owner]);
  return rows[0]?.amount;
};

export const restock: TimerKind = {
  kind: 'restock',
  fire: async (timers, tx) => {
    for (const { owner } of timers) await goldOf(tx, owner);
  },
};

const pool = new pg.Pool();
export const kibble: Kibble = createKibble<{ id: string }>({ pool, playerId: ({ id }) => id, kinds: [restock] });
export const timers = createTimers({ pool, kinds: [restock], clock: new ManualClock(0) });
export const later = (): Promise<unknown> =>
  kibble.timers.transaction(({ nowMs, schedule }) =>
    schedule([{ kind: 'restock', owner: 'ann', subject: 'shop', dueAtMs: nowMs + 1 }]),
  );
export const operators: OpsApiOptions['operators'] = [];
addOpsApi(express(), { ops: kibble.ops, operators, path: '/admin/kibble' });

// @ts-expect-error The types are read: this is no player.
export const wrong = createKibble({ pool, playerId: 5 });

export const rest = { cut, defineModule, followHome, HomeState, pets, startTestDatabase };
export type Bag = Inventory;
