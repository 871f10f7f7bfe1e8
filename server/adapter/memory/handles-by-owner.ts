import { PagedIntegers } from './paged-integers.ts';

const NONE = -1;
const PARTS = 256;

/**
 * The timers of each owner, as chains of handles in arrays of integers: an owner costs its name and no other object,
 * however many timers it has. Names lie in 256 maps, because a single map of all stalls when it grows.
 */
export class HandlesByOwner {
  readonly #numbers: Map<string, number>[] = Array.from({ length: PARTS }, () => new Map());
  readonly #names: string[] = [];
  /** Numbers of owners without timers, to be reused. */
  readonly #free: number[] = [];
  /** By owner: the first handle of the chain. */
  readonly #first: PagedIntegers = new PagedIntegers();
  readonly #owner: PagedIntegers = new PagedIntegers();
  readonly #next: PagedIntegers = new PagedIntegers();
  readonly #before: PagedIntegers = new PagedIntegers();

  add(handle: number, owner: string): void {
    const number = this.#numberOf(owner);
    const first = this.#first.get(number);
    this.#owner.set(handle, number);
    this.#next.set(handle, first);
    this.#before.set(handle, NONE);
    if (first !== NONE) this.#before.set(first, handle);
    this.#first.set(number, handle);
  }

  delete(handle: number): void {
    const number = this.#owner.get(handle);
    const next = this.#next.get(handle);
    const before = this.#before.get(handle);
    if (next !== NONE) this.#before.set(next, before);
    if (before !== NONE) this.#next.set(before, next);
    else if (next !== NONE) this.#first.set(number, next);
    else this.#forget(number);
  }

  ownerOf(handle: number): string {
    return this.#names[this.#owner.get(handle)] ?? '';
  }

  /** Unordered. */
  of(owner: string): readonly number[] {
    const handles: number[] = [];
    const number = this.#mapFor(owner).get(owner) ?? NONE;
    for (let handle = this.#first.get(number); handle !== NONE; handle = this.#next.get(handle)) handles.push(handle);
    return handles;
  }

  #numberOf(owner: string): number {
    const numbers = this.#mapFor(owner);
    const known = numbers.get(owner);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#names.length;
    numbers.set(owner, number);
    this.#names[number] = owner;
    return number;
  }

  #forget(number: number): void {
    const owner = this.#names[number] ?? '';
    this.#mapFor(owner).delete(owner);
    this.#names[number] = '';
    this.#first.set(number, NONE);
    this.#free.push(number);
  }

  #mapFor(owner: string): Map<string, number> {
    let hash = 0;
    for (let at = 0; at < owner.length; at += 1) hash = Math.imul(hash, 31) + owner.charCodeAt(at);
    const map = this.#numbers[(hash ^ (hash >>> 15)) & (PARTS - 1)];
    if (map === undefined) throw new RangeError(`no part for the owner ${owner}`);
    return map;
  }
}
