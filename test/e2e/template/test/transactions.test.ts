import assert from 'node:assert';
import { fromDrizzle, fromPrisma, ManualClock, type Sql } from 'colyseus-kibble';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { ownKibble } from './own-kibble.js';
import { prismaClient } from './prisma-client.js';

const gold = pgTable('gold', { owner: text().primaryKey(), amount: integer().notNull() });
const row = { owner: 'ann', amount: 5 };
const db = drizzle(process.env.DATABASE_URL);

/** Runs work in a transaction of the ORM; `pay` writes a row by the ORM's own functions. */
type Transaction = <Result>(work: (tx: Sql, pay: () => PromiseLike<unknown>) => Promise<Result>) => Promise<Result>;

const orms: Readonly<Record<string, Transaction>> = {
  Drizzle: (work) => db.transaction((tx) => work(fromDrizzle(tx, sql), () => tx.insert(gold).values(row))),
  Prisma: (work) =>
    prismaClient(process.env.DATABASE_URL).$transaction((tx) =>
      work(fromPrisma(tx), () => tx.gold.create({ data: row })),
    ),
};

for (const [name, transaction] of Object.entries(orms)) {
  describe(`a transaction of ${name}`, () => {
    beforeEach(() =>
      db.execute(sql`create table if not exists public.gold (owner text primary key, amount int not null)`),
    );
    afterEach(() => db.execute(sql`drop table public.gold`));

    it('rolls back and commits what Kibble wrote in it', async () => {
      const fired: string[] = [];
      const call = async ({ subject }: { readonly subject: string }): Promise<void> => {
        fired.push(subject);
      };
      const clock = new ManualClock(1_800_000_000_000);
      const kibble = ownKibble(name.toLowerCase(), { clock, kinds: [{ kind: 'order', call }] });
      await kibble.lifecycle.boot();
      const prize = { playerId: 'ann', commandId: 'prize-of-ann', items: { snack: 1 }, reason: 'prize' };
      const buy = (isOpen: boolean) =>
        transaction(async (tx, pay) => {
          await pay();
          const timers = kibble.timers.within(tx);
          await timers.schedule([{ kind: 'order', subject: '7', owner: 'ann', inMs: 1_000 }]);
          const granted = await kibble.homes.mustGrant([prize], { tx });
          if (!isOpen) throw new Error('the shop is closed');
          return { timers, granted };
        });
      const seen = async () => {
        const [{ home }] = await kibble.homes.look(['ann']);
        const [timer] = await kibble.timers.find([{ kind: 'order', subject: '7' }]);
        return { gold: await db.select().from(gold), seq: home.seq, state: timer?.state };
      };
      const before = await seen();
      assert.deepStrictEqual(before, { gold: [], seq: before.seq, state: undefined });
      await assert.rejects(buy(false), /the shop is closed/);
      assert.deepStrictEqual(await seen(), before);

      const { timers, granted } = await buy(true);
      await timers.afterCommit();
      granted.afterCommit();
      const after = await seen();
      assert.deepStrictEqual({ ...after, seq: 0 }, { gold: [row], seq: 0, state: 'scheduled' });
      assert.ok(after.seq > before.seq);
      clock.advance(1_000);
      await kibble.runDue();
      assert.deepStrictEqual(fired, ['7']);
      await kibble.lifecycle.shutdown();
    });
  });
}
