import { isDeepStrictEqual } from 'node:util';
import type { Home } from '../../../shared/home.ts';
import type { Seed } from '../../domain/chance.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { type Settled, settleSome } from '../../domain/settle.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import { timingRules } from '../model/home-measurement.ts';

/** A home as it is in the database, and the time to settle it to. */
export interface UnsettledHome {
  readonly home: Home;
  readonly seed: Seed;
  readonly nowMs: number;
  readonly maxEvents: number;
}

/** One batch's part of settling a home, and the home that it began with. */
export interface SettledPart {
  readonly before: Home;
  readonly found: Settled | ModuleFault;
}

/** The dependencies of `AheadSettler`. */
export interface AheadSettlerOptions {
  readonly modules: Modules;
  readonly clock: Pick<Clock, 'after'>;
  readonly measure?: HomeMeasure | undefined;
}

/**
 * Settles the next part of a home that was away for long, while the database writes the part before. The result is used
 * only if the home is then loaded as expected. If not, the part is made again, so a wrong guess costs only time.
 */
export class AheadSettler {
  readonly #on: AheadSettlerOptions;
  #cancel: (() => void) | undefined;
  #made: { readonly of: UnsettledHome; readonly part: SettledPart } | undefined;

  constructor(on: AheadSettlerOptions) {
    this.#on = on;
  }

  settle(from: UnsettledHome): SettledPart {
    const part = this.#madeFor(from) ?? settledPart(this.#on.modules, from);
    const { found } = part;
    if (!(found instanceof ModuleFault || found.isSettled)) this.#begin({ ...from, home: found.home });
    return part;
  }

  /** Begins in the next turn of the event loop, after the current part was sent to the database. */
  #begin(of: UnsettledHome): void {
    const { modules, clock, measure } = this.#on;
    this.#cancel = clock.after(0, () => {
      const timer = timingRules(modules, measure);
      try {
        const part = settledPart(modules, of);
        this.#made = { of, part };
        const { found } = part;
        if (!(found instanceof ModuleFault)) timer.ran({ playerId: of.home.playerId, events: found.events });
      } catch {
        // The next batch meets the same error and reports it.
      }
    });
  }

  #madeFor(from: UnsettledHome): SettledPart | undefined {
    this.#cancel?.();
    const made = this.#made;
    this.#made = undefined;
    return made && isStillSo(made.of, from) && !isAtRest(made.part) ? made.part : undefined;
  }
}

/** Settles until the first rest after about `maxEvents`. */
export const settledPart = (modules: Modules, { home, ...span }: UnsettledHome): SettledPart => {
  try {
    return { before: home, found: settleSome(modules, home, span) };
  } catch (error) {
    if (error instanceof ModuleFault) return { before: home, found: error };
    throw error;
  }
};

/** `seq` identifies the state except for a game's own inventory, so items are compared. Time only grows. */
const isStillSo = (then: UnsettledHome, now: UnsettledHome): boolean =>
  then.home.seq === now.home.seq &&
  isDeepStrictEqual(then.seed, now.seed) &&
  then.nowMs <= now.nowMs &&
  then.maxEvents === now.maxEvents &&
  isDeepStrictEqual(then.home.items, now.home.items);

/** At rest the part cannot be reused: more may be due by now, or a fault may be mended. */
const isAtRest = ({ found }: SettledPart): boolean => found instanceof ModuleFault || found.isSettled;
