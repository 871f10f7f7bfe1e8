import { type Home, newHome } from '../../../shared/home.ts';
import type { Items } from '../../../shared/items.ts';
import { countOf } from '../../../shared/items.ts';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import type { PetsEventBody as EventBody } from '../../../shared/pets/events.ts';
import { dueOf } from '../../../shared/pets/feeding.ts';
import type { Pet } from '../../../shared/pets/pet.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import type { Command, HomeEvent, Reply } from '../../../shared/pets/protocol.ts';
import { fold, judge, openHome, replyOf, settle } from '../../../testing/pets-engine.ts';

export const HOUR_MS = 3_600_000;
/** The instant at which every scene begins; an hour is `T0 + HOUR_MS`. */
export const T0 = 1_764_000_000_000;

/** A home told step by step, for examples. Pets are called by the order of their adoption, 0 first. */
export class Scene {
  readonly log: HomeEvent[];
  catalogue: Catalogue;
  home: Home;

  constructor(items: Items, pets = 1, rules: Partial<Catalogue> = {}) {
    this.catalogue = { ...defaultCatalogue, ...rules, starter: { items } };
    this.log = [...openHome(newHome('anna'), this.catalogue, T0)];
    this.home = fold(newHome('anna'), this.log);
    for (let pet = 0; pet < pets; pet++) this.send(T0, { type: 'home:adopt', name: `Pet ${pet}`, species: 'dog' });
  }

  /** The answer, or the code of the refusal. */
  send(nowMs: number, command: Command): Reply | string {
    const commandId = `command-${this.log.length}`;
    const { home, settled, decision } = judge({
      catalogue: this.catalogue,
      home: this.home,
      command,
      commandId,
      nowMs,
    });
    this.home = home;
    this.log.push(...settled, ...(decision.ok ? decision.value : []));
    return decision.ok ? replyOf(decision.value) : decision.error.code;
  }

  look(nowMs: number): this {
    const found = settle(this.home, nowMs);
    this.log.push(...found);
    this.home = fold(this.home, found);
    return this;
  }

  feed = (nowMs: number, food = 'dog-food', pet = 0) =>
    this.send(nowMs, { type: 'home:feed', petId: this.id(pet), food });
  card = (
    nowMs: number,
    card: string,
    more: {
      readonly pet?: number;
      readonly count?: number;
      readonly feedingId?: string;
      readonly maxWastedMs?: number;
    } = {},
  ) => {
    const { pet = 0, ...rest } = more;
    return this.send(nowMs, { type: 'home:use-card', petId: this.id(pet), card, ...rest });
  };
  stop = (nowMs: number, pet = 0, feedingId?: string) =>
    this.send(nowMs, { type: 'home:stop', petId: this.id(pet), feedingId });
  disarm = (nowMs: number, count?: number, pet = 0) =>
    this.send(nowMs, { type: 'home:disarm', petId: this.id(pet), count });
  release = (nowMs: number, pet = 0) => this.send(nowMs, { type: 'home:release', petId: this.id(pet) });
  grant = (nowMs: number, items: Record<string, number>) =>
    this.send(nowMs, { type: 'home:grant', items, reason: 'gift' });
  take = (nowMs: number, items: Record<string, number>) =>
    this.send(nowMs, { type: 'home:take', items, reason: 'fee' });

  pet = (pet = 0): Pet => {
    const found = petsOf(this.home)[pet];
    if (!found) throw new Error(`there is no pet ${pet}`);
    return found;
  };
  id = (pet = 0): string => this.pet(pet).petId;
  /** When the pet is due, counted from the beginning of the scene. */
  dueAfterMs = (pet = 0): number | undefined => {
    const due = dueOf(this.pet(pet));
    return due === undefined ? undefined : due - T0;
  };
  count = (item: string): number => countOf(this.home.items, item);
  /** When events of this type happened, in hours from the beginning. */
  hoursOf = (type: EventBody['type']): readonly number[] =>
    this.log.filter((event) => event.type === type).map((event) => (event.at - T0) / HOUR_MS);
  types = (from = 0): readonly string[] => this.log.slice(from).map((event) => event.type);
}

export const replied = (answer: Reply | string): Reply => {
  if (typeof answer === 'string') throw new Error(`refused with ${answer}`);
  return answer;
};
