import type { TimeReply } from '../../shared/protocol.ts';
import type { Link } from './link.ts';
import type { Platform } from './platform.ts';
import type { ServerClock } from './server-clock.ts';

export interface HeartbeatOptions {
  readonly platform: Platform;
  readonly clock: ServerClock;
  /** Called when the connection is open but no response comes: a dead one looks so for many minutes. */
  readonly onSilence: () => void;
}

const BEAT_MS = 30_000;

/** Asks for the server's time, several times at first and then at intervals: sets the clock, and finds dead connections. */
export class Heartbeat {
  readonly #on: HeartbeatOptions;
  #link: Link | undefined;
  #isBeating = false;
  #cancel = (): void => {};

  constructor(options: HeartbeatOptions) {
    this.#on = options;
  }

  start(link: Link): void {
    this.end();
    this.#link = link;
    this.#beat(link, 'measure');
  }

  end(): void {
    this.#cancel();
    this.#link = undefined;
    this.#isBeating = false;
  }

  hurry(): void {
    if (this.#link && !this.#isBeating) this.#beat(this.#link, 'check');
  }

  async #beat(link: Link, how: 'measure' | 'check'): Promise<void> {
    const { clock, platform, onSilence } = this.#on;
    this.#cancel();
    this.#isBeating = true;
    let isSilent = false;
    await clock[how](async () => {
      const asked = await link.ask<TimeReply>('home:time', {});
      isSilent = asked.kind === 'silent';
      return asked.kind === 'accepted' ? link.read('home:time', () => asked.value.nowMs) : undefined;
    });
    if (link !== this.#link) return;
    this.#isBeating = false;
    if (isSilent) onSilence();
    else this.#cancel = platform.after(BEAT_MS, () => this.#beat(link, 'check'));
  }
}
