// Buildings take their time; a player has two builders; a boost doubles one building's pace; a gem takes an hour off.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'
import { type Boost, boosted, cut, dueAtMs, restate, type Work } from '../shared/work.ts'; // 'colyseus-kibble/work'

const KIND = 'building';
const HOUR_MS = 3_600_000;
const BUILDERS = 2;

interface Site {
  readonly work: Work;
  readonly boost?: Boost;
}

export const openTown = (host: Pick<KibbleOptions, 'pool' | 'clock'>) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        fire: async (timers, tx) => {
          await tx.query('update building set site = null where id = any($1)', [timers.map(({ subject }) => subject)]);
        },
      },
    ],
  });

  /** The timer first, then the site: both ways lock in this order. False when the building is finished. */
  const change = (id: string, changed: (site: Site, nowMs: number) => Site): Promise<boolean> =>
    kibble.timers.transaction(async (timers) => {
      const [held] = await timers.shift([{ kind: KIND, subject: id, byMs: 0 }]);
      if (held?.outcome !== 'applied') return false;
      const { rows } = await timers.tx.query<{ site: Site }>('select site from building where id = $1', [id]);
      const site = rows[0]?.site;
      if (site === undefined) return false;
      const after = changed({ ...site, work: restate(site.work, site.boost, timers.nowMs) }, timers.nowMs);
      await timers.tx.query('update building set site = $2 where id = $1', [id, after]);
      await timers.reschedule([{ kind: KIND, subject: id, dueAtMs: dueAtMs(after.work, after.boost) }]);
      return true;
    });

  return {
    kibble,
    /** False when both builders are busy. */
    build: async (id: string, playerId: string, hours: number) => {
      const site = { work: { leftMs: hours * HOUR_MS, sinceAtMs: await kibble.now() } };
      return kibble.timers.transaction(async (timers) => {
        await timers.tx.query('select pg_advisory_xact_lock(hashtext($1))', [playerId]);
        const own = 'select from building where player_id = $1 and site is not null';
        if ((await timers.tx.query(own, [playerId])).rowCount === BUILDERS) return false;
        await timers.tx.query('insert into building values ($1, $2, $3)', [id, playerId, site]);
        await timers.schedule([{ kind: KIND, subject: id, owner: playerId, dueAtMs: dueAtMs(site.work, undefined) }]);
        return true;
      });
    },
    boost: (id: string) => change(id, ({ work, boost }, nowMs) => ({ work, boost: boosted(boost, 2, HOUR_MS, nowMs) })),
    gem: (id: string) => change(id, (site) => ({ ...site, work: cut(site.work, HOUR_MS).work })),
  };
};
