import { causesOf, textOf } from '../../shared/game-code.ts';
import type { Database } from '../adapter/postgres/database.ts';
import { PostgresDueCheckStore } from '../adapter/postgres/home/due-check-store.ts';
import { PostgresRetainedStore } from '../adapter/postgres/home/retained-store.ts';
import type { Modules } from '../domain/modules.ts';
import type { HomeService } from '../home/home-service.ts';
import { DueCheck } from '../home/log/due-check.ts';
import { Retention } from '../home/log/retention.ts';
import { moduleFaultIn } from '../home/model/faults.ts';
import type { SlowRules } from '../home/model/home-measurement.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { throttle } from '../runtime/throttle.ts';
import type { Leader } from '../timer/leader.ts';

interface Parts {
  readonly database: Database;
  readonly modules: Modules;
  readonly clock: Clock;
  readonly service: Pick<HomeService, 'settle'>;
  readonly leader: Pick<Leader, 'add'>;
  readonly eventsMs: number;
}

/** What one process does for all homes: lets go of what is old, and compares due times with the rules. */
export const addHomeChores = (parts: Parts): void => {
  const { leader, clock, service, modules, eventsMs } = parts;
  const retention = new Retention({ store: new PostgresRetainedStore(parts), eventsMs });
  const dueCheck = new DueCheck({
    modules,
    store: new PostgresDueCheckStore(parts),
    look: (playerIds) => service.settle(playerIds),
    monotonicMs: clock.monotonicMs,
  });
  leader.add('retention', retention.tick);
  leader.add('compare due times with the rules', dueCheck.tick);
};

/** Writes a line a minute for each cause, whoever met it: players who try again must not fill a disk. */
export const reportFaults = ({
  clock,
  log,
}: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: EngineLog;
}) => {
  const limit = throttle(clock);
  return (message: string, error: unknown): void => {
    const fault = moduleFaultIn(error);
    const told = limit(fault ? `${fault.module} ${fault.rule}` : textOf(causesOf(error).at(-1)));
    if (told) log.error({ err: error, leftOut: told.leftOut }, message);
  };
};

/** Warns at most once a minute of rules of the same modules. */
export const reportSlowRules = (
  count: (slow: SlowRules) => void,
  { clock, log }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly log: EngineLog },
): ((slow: SlowRules) => void) => {
  const isTimeToTell = throttle(clock);
  return (slow) => {
    count(slow);
    const module = slow.modules.join(', ');
    if (!isTimeToTell(module)) return;
    const { playerId, thing, command } = slow;
    const tookMs = Math.round(slow.tookMs);
    const of = `${thing === undefined ? 'the home' : `the thing ${thing}`} of ${playerId}`;
    log.warn({ code: 'module/slow', module, command, tookMs }, `rules ran for long and held up the process: ${of}`);
  };
};
