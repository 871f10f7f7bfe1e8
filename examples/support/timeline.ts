import type { HomeEvent } from '../../shared/pets/protocol.ts';

const BOLD = '\u001b[1m';
const PLAIN = '\u001b[0m';

/** Prints the events as one story: actions on the left, the log's events below. */
export class Timeline {
  #beganAtMs = 0;
  #lastSeq = 0;

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** From here on times are shown in seconds after `atMs`. */
  begin(atMs: number): void {
    this.#beganAtMs = atMs;
  }

  say(sentence: string): void {
    process.stdout.write(`\n${this.#paint(BOLD, sentence)}\n`);
  }

  /** Prints each event once, whichever message brought it. */
  tell(events: readonly HomeEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#lastSeq) continue;
      this.#lastSeq = event.seq;
      process.stdout.write(`  ${this.at(event.at)}  ${describe(event, (atMs) => this.at(atMs))}\n`);
    }
  }

  at(atMs: number): string {
    return this.#beganAtMs === 0 ? '  start ' : `${((atMs - this.#beganAtMs) / 1000).toFixed(3).padStart(6)} s`;
  }

  #paint(style: string, text: string): string {
    return process.stdout.isTTY ? `${style}${text}${PLAIN}` : text;
  }
}

const describe = (event: HomeEvent, at: (atMs: number) => string): string => {
  switch (event.type) {
    case 'items-granted':
      return `you get ${Object.entries(event.items)
        .map(([item, count]) => `${count} ${item}`)
        .join(', ')}`;
    case 'pet-adopted':
      return `${event.name} the ${event.species} moves in`;
    case 'feeding-started':
      return `${event.by === 'card' ? 'auto-fed' : 'fed'} with ${event.food}: ${event.workMs / 1000} s of eating`;
    case 'card-used':
      return `${event.card} played: ${event.workLeftMs / 1000} s of eating left, due at ${at(event.dueAt).trim()}`;
    case 'feeding-completed':
      return `finished: +${event.xp} xp, ${event.totalXp} in all`;
    default:
      return ofWorkshop(event);
  }
};

/** `town/started` of the mill: `mill: started`. */
const ofWorkshop = ({ type, ...event }: { readonly type: string; readonly thing?: string }): string =>
  event.thing === undefined ? type : `${event.thing}: ${type.slice(type.indexOf('/') + 1)}`;
