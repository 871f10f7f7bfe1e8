import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import type { Command } from '../../../shared/pets/protocol.ts';

/**
 * The rules once more, written in another way: it eats millisecond by millisecond and knows no due times. It shares
 * nothing with the rules but the types of their input.
 */
export interface Line {
  readonly type: string;
  readonly at: number;
  readonly pet: string;
  readonly food: string;
}

interface Meal {
  readonly food: string;
  readonly workMs: number;
}
interface Bowl extends Meal {
  readonly id: string;
  readonly filledAt: number;
  left: number;
  /** Filled by hand, and nothing was played on it since. */
  isFresh: boolean;
}
interface Eater {
  readonly id: string;
  bowl: Bowl | undefined;
  last: (Meal & { readonly hasEnded: 'well' | 'early' }) | undefined;
  rate: number;
  fastUntil: number;
  /** One entry a card, the first is used first. */
  chain: { readonly card: string; unused: number; readonly of: number }[];
  waitsSince: number | undefined;
}

export class Oracle {
  readonly lines: Line[] = [];
  readonly stock: Record<string, number> = {};
  eaters: Eater[] = [];
  #now: number;

  constructor(catalogue: Catalogue, startAt: number) {
    this.#now = startAt;
    for (const [item, count] of Object.entries(catalogue.starter.items)) this.#give(item, count);
    this.#write('items-granted', '');
  }

  waitUntil(at: number): void {
    while (this.#now < at) {
      for (const { bowl, ...eater } of this.eaters) if (bowl) bowl.left -= this.#now < eater.fastUntil ? eater.rate : 1;
      this.#now++;
      this.#clearEmptyBowls();
    }
  }

  /** Whether the command was accepted. */
  play(catalogue: Catalogue, command: Command): boolean {
    const isAccepted = this.#act(catalogue, command);
    if (isAccepted) {
      this.#clearEmptyBowls();
      const waiting = this.eaters.filter((eater) => eater.waitsSince !== undefined);
      waiting.sort((a, b) => (a.waitsSince ?? 0) - (b.waitsSince ?? 0) || (a.id > b.id ? 1 : -1));
      for (const eater of waiting) if (eater.last && this.#has(eater.last.food, 1)) this.#again(eater, eater.last);
    }
    return isAccepted;
  }

  #act(catalogue: Catalogue, command: Command): boolean {
    if (command.type === 'home:adopt') return this.#adopt(catalogue, command.species);
    if (command.type === 'home:grant' || command.type === 'home:take') {
      const sign = command.type === 'home:grant' ? 1 : -1;
      const moves = Object.entries(command.items);
      const isKnown = (item: string) => item in catalogue.foods || item in catalogue.cards || this.#has(item, 1);
      if (!moves.every(([item, count]) => isKnown(item) && (sign > 0 || this.#has(item, count)))) return false;
      for (const [item, count] of moves) this.#give(item, sign * count);
      return this.#write('items-granted', '');
    }
    const eater = this.eaters.find((some) => some.id === command.petId);
    if (!eater) return false;
    switch (command.type) {
      case 'home:feed': {
        const food = catalogue.foods[command.food];
        if (!food || eater.bowl || !this.#has(command.food, 1)) return false;
        this.#fill(eater, { food: command.food, workMs: food.workMs }, true);
        return true;
      }
      case 'home:use-card':
        return this.#card(catalogue, command, eater);
      case 'home:disarm':
        return this.#disarm(eater, command.count);
      case 'home:stop':
        return this.#isAbout(eater, command.feedingId) && this.#stop(catalogue, eater);
      case 'home:release': {
        const whole = eater.chain.filter((card) => card.unused === card.of);
        if (eater.bowl) this.#stop(catalogue, eater);
        else if (whole.length > 0) this.#disarm(eater, whole.length);
        this.eaters = this.eaters.filter((some) => some !== eater);
        return this.#write('pet-released', eater.id);
      }
      default:
        return command satisfies never;
    }
  }

  #adopt(catalogue: Catalogue, species: string): boolean {
    if (!catalogue.species.includes(species) || this.eaters.length >= catalogue.limits.petsPerPlayer) return false;
    const id = `anna~p${this.lines.length + 1}`;
    const calm = { rate: 1, fastUntil: 0, chain: [], waitsSince: undefined };
    this.eaters.push({ id, bowl: undefined, last: undefined, ...calm });
    return this.#write('pet-adopted', id);
  }

  #card(catalogue: Catalogue, asked: Extract<Command, { type: 'home:use-card' }>, eater: Eater): boolean {
    const card = catalogue.cards[asked.card];
    const count = asked.count ?? 1;
    const { bowl } = eater;
    if (!card || !bowl || !this.#isAbout(eater, asked.feedingId) || !this.#has(asked.card, count)) return false;
    if (card.effect === 'cut') {
      const surplus = Math.max(0, card.workMs * count - bowl.left);
      if (asked.maxWastedMs !== undefined && surplus > asked.maxWastedMs) return false;
      bowl.left -= card.workMs * count - surplus;
    } else if (card.effect === 'rate') {
      const isFast = this.#now < eater.fastUntil;
      if (isFast && eater.rate !== card.rate) return false;
      const fastUntil = (isFast ? eater.fastUntil : this.#now) + card.lastsMs * count;
      if (fastUntil > this.#now + catalogue.limits.boostMs) return false;
      eater.fastUntil = fastUntil;
      eater.rate = card.rate;
    } else {
      const armed = eater.chain.reduce((sum, some) => sum + some.unused, 0);
      if (armed + card.times * count > catalogue.limits.autoFeedsPerPet) return false;
      for (let one = 0; one < count; one++) eater.chain.push({ card: asked.card, unused: card.times, of: card.times });
    }
    bowl.isFresh = false;
    this.#give(asked.card, -count);
    return this.#write('card-used', eater.id);
  }

  #disarm(eater: Eater, asked: number | undefined): boolean {
    const whole = eater.chain.filter((card) => card.unused === card.of);
    const count = asked ?? whole.length;
    if (count < 1 || count > whole.length) return false;
    const back = whole.slice(whole.length - count);
    for (const card of back) this.#give(card.card, 1);
    eater.chain = eater.chain.filter((card) => !back.includes(card));
    if (eater.chain.length === 0) eater.waitsSince = undefined;
    return this.#write('auto-feed-disarmed', eater.id);
  }

  #stop(catalogue: Catalogue, eater: Eater): boolean {
    const { bowl } = eater;
    if (!bowl) return false;
    if (bowl.isFresh && this.#now - bowl.filledAt <= catalogue.limits.undoMs) this.#give(bowl.food, 1);
    for (const card of eater.chain) if (card.unused === card.of) this.#give(card.card, 1);
    // A started feeding stays, because all of it was paid for.
    eater.chain = eater.chain.filter((card) => card.unused !== card.of);
    eater.bowl = undefined;
    eater.last = { food: bowl.food, workMs: bowl.workMs, hasEnded: 'early' };
    return this.#write('feeding-stopped', eater.id);
  }

  #clearEmptyBowls(): void {
    for (const eater of this.eaters.toSorted((a, b) => (a.id > b.id ? 1 : -1))) {
      const { bowl } = eater;
      if (!bowl || bowl.left > 0) continue;
      eater.bowl = undefined;
      eater.last = { food: bowl.food, workMs: bowl.workMs, hasEnded: 'well' };
      this.#write('feeding-completed', eater.id);
      if (eater.chain.length === 0) continue;
      if (this.#has(bowl.food, 1)) this.#again(eater, bowl);
      else {
        eater.waitsSince = this.#now;
        this.#write('auto-feed-blocked', eater.id, bowl.food);
      }
    }
  }

  #again(eater: Eater, meal: Meal): void {
    const [card] = eater.chain;
    if (card) card.unused--;
    eater.chain = eater.chain.filter((some) => some.unused > 0);
    this.#fill(eater, meal, false);
  }

  #fill(eater: Eater, { food, workMs }: Meal, isFresh: boolean): void {
    this.#give(food, -1);
    eater.waitsSince = undefined;
    eater.bowl = { id: `anna~f${this.lines.length + 1}`, food, workMs, left: workMs, filledAt: this.#now, isFresh };
    this.#write('feeding-started', eater.id, food);
  }

  #isAbout = (eater: Eater, feedingId: string | undefined): boolean =>
    eater.bowl !== undefined && (feedingId === undefined || eater.bowl.id === feedingId);
  #has = (item: string, count: number): boolean => (this.stock[item] ?? 0) >= count;
  #give(item: string, count: number): void {
    this.stock[item] = (this.stock[item] ?? 0) + count;
    if (this.stock[item] === 0) delete this.stock[item];
  }
  #write(type: string, pet: string, food = ''): true {
    this.lines.push({ type, at: this.#now, pet, food });
    return true;
  }
}
