export interface HeapEntry {
  readonly id: number;
  fireAtMs: number;
  /** The place in the heap, so that moving and cancelling need no search. */
  place: number;
}

/** The usual choice of timer libraries: a binary heap in an array, ordered by `(fireAtMs, id)`. */
export class BinaryHeap {
  readonly #entries: HeapEntry[] = [];

  insert(id: number, fireAtMs: number): HeapEntry {
    const entry = { id, fireAtMs, place: this.#entries.length };
    this.#entries.push(entry);
    this.#up(entry);
    return entry;
  }

  move(entry: HeapEntry, fireAtMs: number): void {
    entry.fireAtMs = fireAtMs;
    this.#up(entry);
    this.#down(entry);
  }

  cancel(entry: HeapEntry): void {
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#set(last, entry.place);
    this.#up(last);
    this.#down(last);
  }

  /** Removes and returns the earliest due entry. */
  pop(nowMs: number): HeapEntry | undefined {
    const first = this.#entries[0];
    if (first === undefined || first.fireAtMs > nowMs) return undefined;
    this.cancel(first);
    return first;
  }

  nextFireAtMs(): number | undefined {
    return this.#entries[0]?.fireAtMs;
  }

  #set(entry: HeapEntry, place: number): void {
    this.#entries[place] = entry;
    entry.place = place;
  }

  #up(entry: HeapEntry): void {
    let place = entry.place;
    while (place > 0) {
      const parent = this.#entries[(place - 1) >> 1];
      if (parent === undefined || !isBefore(entry, parent)) break;
      this.#set(parent, place);
      place = (place - 1) >> 1;
    }
    this.#set(entry, place);
  }

  #down(entry: HeapEntry): void {
    let place = entry.place;
    for (;;) {
      const left = this.#entries[2 * place + 1];
      const right = this.#entries[2 * place + 2];
      const least = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (least === undefined || !isBefore(least, entry)) break;
      const hole = place;
      place = least.place;
      this.#set(least, hole);
    }
    this.#set(entry, place);
  }
}

const isBefore = (left: HeapEntry, right: HeapEntry): boolean =>
  left.fireAtMs < right.fireAtMs || (left.fireAtMs === right.fireAtMs && left.id < right.id);
