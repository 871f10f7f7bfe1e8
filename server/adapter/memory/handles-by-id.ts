const NONE = -1;
const PART_BITS = 8;
const FIRST_CAPACITY = 16;

/**
 * Maps a timer's id, an integer, to its handle on the wheel. A `Map` of a million entries is copied as a whole when it
 * grows, and sometimes while entries come and go: a stall of 40 to 150 ms. This hash table has 256 parts, each of which
 * grows by itself, and no objects that the garbage collector would have to walk.
 */
export class HandlesById {
  readonly #parts: Part[] = Array.from({ length: 2 ** PART_BITS }, () => new Part());

  /** -1: unknown id. */
  get(id: number): number {
    return this.#partOf(id).get(id);
  }

  set(id: number, handle: number): void {
    this.#partOf(id).set(id, handle);
  }

  delete(id: number): void {
    this.#partOf(id).delete(id);
  }

  #partOf(id: number): Part {
    const part = this.#parts[hashOf(id) >>> (32 - PART_BITS)];
    if (part === undefined) throw new RangeError(`no part for the id ${id}`);
    return part;
  }
}

/** Open addressing: if the place of an id is taken, the id goes to the next free place. */
class Part {
  #ids: Float64Array = new Float64Array(FIRST_CAPACITY);
  #handles: Int32Array = new Int32Array(FIRST_CAPACITY).fill(NONE);
  #size = 0;

  get(id: number): number {
    return this.#handles[this.#find(id)] ?? NONE;
  }

  set(id: number, handle: number): void {
    let at = this.#find(id);
    if (this.#isEmpty(at)) {
      // A quarter stays empty, which makes searches short.
      if (4 * this.#size >= 3 * this.#handles.length) {
        this.#grow();
        at = this.#find(id);
      }
      this.#size += 1;
    }
    this.#ids[at] = id;
    this.#handles[at] = handle;
  }

  delete(id: number): void {
    const at = this.#find(id);
    if (this.#isEmpty(at)) return;
    this.#size -= 1;
    this.#close(at);
  }

  /** The place of the id, or the empty place where it would go. */
  #find(id: number): number {
    let at = this.#homeOf(id);
    while (!this.#isEmpty(at) && this.#ids[at] !== id) at = this.#after(at);
    return at;
  }

  /** A search ends at the first gap, so ids behind the gap move up if they belong before it. */
  #close(from: number): void {
    let gap = from;
    for (let at = this.#after(gap); !this.#isEmpty(at); at = this.#after(at)) {
      const id = this.#ids[at] ?? 0;
      if (this.#distance(this.#homeOf(id), at) < this.#distance(gap, at)) continue;
      this.#ids[gap] = id;
      this.#handles[gap] = this.#handles[at] ?? NONE;
      gap = at;
    }
    this.#handles[gap] = NONE;
  }

  #grow(): void {
    const ids = this.#ids;
    const handles = this.#handles;
    this.#ids = new Float64Array(2 * ids.length);
    this.#handles = new Int32Array(2 * ids.length).fill(NONE);
    for (const [at, handle] of handles.entries()) {
      if (handle === NONE) continue;
      const id = ids[at] ?? 0;
      const to = this.#find(id);
      this.#ids[to] = id;
      this.#handles[to] = handle;
    }
  }

  #isEmpty(at: number): boolean {
    return this.#handles[at] === NONE;
  }

  #homeOf(id: number): number {
    return hashOf(id) & (this.#handles.length - 1);
  }

  #after(at: number): number {
    return (at + 1) & (this.#handles.length - 1);
  }

  #distance(from: number, to: number): number {
    return (to - from) & (this.#handles.length - 1);
  }
}

/** The lowest 32 bits of the id, mixed so that consecutive ids lie apart. */
const hashOf = (id: number): number => {
  const mixed = Math.imul(id, 0x9e_37_79_b1);
  return mixed ^ (mixed >>> 15);
};
