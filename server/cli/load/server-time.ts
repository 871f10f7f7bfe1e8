interface Probe {
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

/** So many of the newest count: clocks drift apart. */
const KEPT = 20;
/** The server tells whole milliseconds, rounded down. */
const HALF_A_MS = 0.5;

/**
 * What to add to this machine's steady time to get the server's. Measured by asking: of the newest probes the one that
 * was on its way for the shortest time knows it best, to half of its round trip.
 */
export class ServerTime {
  #probes: readonly Probe[] = [];

  add(sentAtMs: number, receivedAtMs: number, serverMs: number): void {
    const roundTripMs = receivedAtMs - sentAtMs;
    const offsetMs = serverMs + HALF_A_MS - (sentAtMs + receivedAtMs) / 2;
    this.#probes = [{ offsetMs, roundTripMs }, ...this.#probes].slice(0, KEPT);
  }

  /** Undefined before the first probe. */
  at(steadyMs: number): number | undefined {
    const best = this.#best();
    return best && steadyMs + best.offsetMs;
  }

  /** By how much it may be wrong, either way. */
  get errorMs(): number | undefined {
    const best = this.#best();
    return best && best.roundTripMs / 2 + HALF_A_MS;
  }

  #best(): Probe | undefined {
    return this.#probes.reduce<Probe | undefined>(
      (best, probe) => (best && best.roundTripMs <= probe.roundTripMs ? best : probe),
      undefined,
    );
  }
}
