import { judge } from '../../../server/domain/decide.ts';
import { fold } from '../../../server/domain/evolve.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { settle } from '../../../server/domain/settle.ts';
import { bitsBy } from '../../../server/home/model/draw-bits.ts';
import { works } from '../../../server/settings/rules.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome, thingsOf } from '../../../shared/home.ts';
import { countOf, type Items } from '../../../shared/items.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import type { WorksThing } from '../../../shared/works/thing.ts';

const SEED = { bits: bitsBy('of a scene'), epoch: 'e', life: 0 };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** A home with one `town`, told step by step. Times are counted from the beginning. */
export class WorksScene {
  static readonly startMs = 1_764_000_000_000;
  readonly log: HomeEvent[] = [];
  home: Home;
  #modules: Modules;
  #nowMs = WorksScene.startMs;

  constructor(rules: WorksRules, items: Items = {}) {
    this.#modules = modulesOf(rules);
    this.home = { ...newHome('anna'), items, opened: ['town'] };
  }

  /** From now on others are in force. */
  change(rules: WorksRules): void {
    this.#modules = modulesOf(rules);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  pass(byMs: number): this {
    this.#nowMs += byMs;
    this.#add(settle(this.#modules, this.home, this.#nowMs, SEED));
    return this;
  }

  /** The events of a command, or its refusal. A refusal has to leave everything as it was. */
  send(type: string, payload: object): readonly HomeEvent[] | { readonly code: string; readonly params: object } {
    const before = this.home;
    const command = { type: type.includes(':') ? type : `town:${type}`, ...payload };
    const { settled, decision } = judge({
      modules: this.#modules,
      home: before,
      command,
      commandId: `command-${before.seq}`,
      nowMs: this.#nowMs,
      seed: SEED,
    });
    this.#add(settled);
    if (!decision.ok) {
      if (decision.fault) throw decision.fault;
      return { code: decision.error.code, params: decision.error.params };
    }
    this.#add(decision.value);
    return decision.value;
  }

  /** The id of a new thing of that name. */
  place(name: string): string {
    const placed = this.send('place', { thing: name });
    if (!Array.isArray(placed)) throw new Error(`refused: ${JSON.stringify(placed)}`);
    return String(placed[0]?.thing);
  }

  grant = (items: Items) => this.send('home:grant', { items, reason: 'gift' });
  take = (items: Items) => this.send('home:take', { items, reason: 'fee' });

  thing = (id: string): WorksThing | undefined => thingsOf(this.home, 'town')[id] as WorksThing | undefined;
  /** `waits`, `runs`, `holds` or `rests`. */
  state = (id: string): string => this.thing(id)?.task?.state ?? 'rests';
  count = (item: string): number => countOf(this.home.items, item);
  /** The events, as `type thing` with the time since the beginning. */
  told = (...types: readonly string[]): readonly (readonly [what: string, atMs: number])[] =>
    this.log
      .filter(({ type }) => types.includes(type.slice('town/'.length)))
      .map(({ type, thing, at }) => [`${type.slice('town/'.length)} ${thing}`, at - WorksScene.startMs]);

  #add(events: readonly HomeEvent[]): void {
    for (const event of events) {
      this.home = fold(this.#modules, this.home, [event]);
      const [short] = Object.entries(this.home.items).find(([, count]) => count < 0) ?? [];
      if (short !== undefined) throw new Error(`${event.type} leaves less than no ${short}`);
    }
    this.log.push(...events);
  }
}

const modulesOf = (rules: WorksRules): Modules => new Modules([works({ name: 'town', rules })]);
