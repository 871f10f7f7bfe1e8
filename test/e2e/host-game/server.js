// A game that was there before Kibble: its own players, its own items table, a room of several players.
import { definePlugins, defineRoom, defineServer, Room } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { createKibble } from 'colyseus-kibble';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query(`create table if not exists public.bag (
  owner text, thing text, amount int check (amount >= 0), primary key (owner, thing))`);

const inventory = {
  async load(tx, playerIds) {
    const { rows } = await tx.query('select * from public.bag where owner = any($1) order by owner, thing for update', [
      playerIds,
    ]);
    const stocks = new Map(playerIds.map((playerId) => [playerId, {}]));
    for (const { owner, thing, amount } of rows) if (amount > 0) stocks.get(owner)[thing] = amount;
    return stocks;
  },
  async apply(tx, moves) {
    for (const { playerId, item, delta } of moves) {
      await tx.query('insert into public.bag values ($1, $2, 0) on conflict do nothing', [playerId, item]);
      await tx.query('update public.bag set amount = amount + $3 where owner = $1 and thing = $2', [
        playerId,
        item,
        delta,
      ]);
    }
  },
};
const rules = { foods: { 'dog-food': { workMs: 700, xp: 10 } } };

const kibble = createKibble({ pool, playerId: (auth) => auth.id, rules, inventory });

class TownRoom extends Room {
  static onAuth(token) {
    if (!token.startsWith('ticket-of-')) throw new Error('no ticket');
    return { id: token.slice('ticket-of-'.length) };
  }
  plugins = definePlugins([kibble.plugin()]);
}

const server = defineServer({
  rooms: { town: defineRoom(TownRoom) },
  database: kibble.lifecycle,
  transport: new WebSocketTransport(),
  greet: false,
});
await server.listen(Number(process.env.PORT));
process.stdout.write('ready\n');
