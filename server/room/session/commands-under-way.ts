import type { HomeEvent } from '../../../shared/event.ts';

/** Commands of one session of which this process has not heard yet what came of them, by `commandId`. */
export class CommandsUnderWay {
  /** Made for the first one. */
  #works: Map<string, Promise<unknown>> | undefined;

  /** `work` ends when followers have heard of the commit. */
  follow<Value>(commandId: string, work: Promise<Value>): Promise<Value> {
    const followed = work.finally(() => this.#works?.delete(commandId));
    this.#works ??= new Map();
    this.#works.set(commandId, followed);
    return followed;
  }

  /** The log may know of a commit of ours before we do: of those that these events belong to, the ends. */
  of(events: readonly HomeEvent[]): readonly Promise<unknown>[] {
    return events.flatMap(({ commandId = '' }) => this.#works?.get(commandId) ?? []);
  }
}
