import type { Platform } from './platform.ts';

interface Probe {
  /** Add it to the platform's time to get the server's, if both ways take equally long. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

/** Asks for the server's time once; undefined: no reply. */
export type AskTime = () => Promise<number | undefined>;

/** Probes of a whole measurement, and the number of newest probes that count. */
const PROBES = 5;
const KEPT = 9;
/** A probe that is off by more than its way explains: the platform's clock stood still (sleep). */
const JUMP_MS = 500;

/**
 * The server's time, independent of this machine's clock: the platform's steady time plus a measured offset. The offset
 * is the median of the probes with the shorter round trips, each halved.
 */
export class ServerClock {
  readonly #platform: Platform;
  #probes: readonly Probe[] = [];
  #offsetMs: number | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Epoch milliseconds of the server; undefined before the first probe. */
  nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : this.#platform.nowMs() + this.#offsetMs;
  }

  /** Several probes, for a new connection. Ends early without a reply: the known offset stays. */
  async measure(ask: AskTime): Promise<void> {
    for (let probes = 0; probes < PROBES; probes += 1) if ((await this.#probe(ask)) === 'unanswered') return;
  }

  /** One probe; several if it differs much from the known offset. */
  async check(ask: AskTime): Promise<void> {
    if ((await this.#probe(ask)) === 'jumped') await this.measure(ask);
  }

  async #probe(ask: AskTime): Promise<'fits' | 'jumped' | 'unanswered'> {
    const sentAtMs = this.#platform.nowMs();
    const serverMs = await ask();
    if (serverMs === undefined) return 'unanswered';
    const roundTripMs = this.#platform.nowMs() - sentAtMs;
    const offsetMs = serverMs - sentAtMs - roundTripMs / 2;
    const isOff = Math.abs(offsetMs - (this.#offsetMs ?? offsetMs)) > roundTripMs / 2 + JUMP_MS;
    this.#probes = [{ offsetMs, roundTripMs }, ...(isOff ? [] : this.#probes)].slice(0, KEPT);
    this.#offsetMs = offsetOf(this.#probes);
    return isOff ? 'jumped' : 'fits';
  }
}

/** The longer a probe's round trip, the less precise it is. */
const offsetOf = (probes: readonly Probe[]): number => {
  const best = [...probes].sort((a, b) => a.roundTripMs - b.roundTripMs).slice(0, Math.ceil(probes.length / 2));
  const offsets = best.map((probe) => probe.offsetMs).sort((a, b) => a - b);
  const middle = (offsets.length - 1) / 2;
  return ((offsets[Math.floor(middle)] ?? 0) + (offsets[Math.ceil(middle)] ?? 0)) / 2;
};
