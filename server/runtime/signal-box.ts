/** Waits that other code may end early. */
export class SignalBox {
  readonly #waiting = new Set<() => void>();

  /** Ends every present wait. */
  ring(): void {
    for (const end of [...this.#waiting]) end();
  }

  /** Resolves when rung, after `waitMs`, or when `signal` aborts, whichever is first. */
  wait(
    waitMs: number,
    after: (delayMs: number, callback: () => void) => () => void,
    signal?: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        this.#waiting.delete(end);
        resolve();
      };
      const cancel = after(waitMs, end);
      signal?.addEventListener('abort', end);
      this.#waiting.add(end);
    });
  }
}
