import { WheelSlots } from './wheel-slots.ts';
import { WheelStore } from './wheel-store.ts';

const NONE = -1;
/** Lists beside the slots: timers that are sorted and ready, and the cancelled ones among them. */
const READY = WheelSlots.count;
const DEAD = READY + 1;

/**
 * A hierarchical timing wheel. Pure: time comes in as an argument. Due timers come out in the order of
 * `(fireAtMs, id)`, to the millisecond. Insert, move and cancel take constant time; a timer cascades at most five
 * times in its life. A handle names a timer until it is popped or cancelled, then may name another.
 */
export class Wheel {
  readonly #store: WheelStore;
  readonly #slots: WheelSlots;
  readonly #lists: number[][] = Array.from({ length: WheelSlots.count }, () => []);
  /** Due timers in order, none later than the cursor; those before `#readyAt` are gone. */
  #ready: number[] = [];
  #readyAt = 0;
  /** The instant of the slot that the ready timers came from; a timer inserted for it belongs among them. */
  #openMs = Number.NaN;
  /** Timers that were inserted behind the cursor, not sorted yet. */
  #late: number[] = [];
  #size = 0;
  /** No timer fires before this instant. */
  #boundMs = Number.POSITIVE_INFINITY;
  /** Whether a timer fires at that instant. */
  #isBoundExact = true;

  constructor(nowMs: number, capacity = 1024) {
    this.#store = new WheelStore(capacity);
    this.#slots = new WheelSlots(Math.max(0, nowMs));
  }

  get size(): number {
    return this.#size;
  }

  idOf(handle: number): number {
    return this.#store.idOf(handle);
  }

  fireAtMsOf(handle: number): number {
    return this.#store.fireAtMsOf(handle);
  }

  insert(id: number, fireAtMs: number): number {
    const handle = this.#store.allocate(id, fireAtMs);
    this.#size += 1;
    this.#link(handle);
    if (this.#size === 1) this.#boundMs = Number.POSITIVE_INFINITY;
    this.#lower(fireAtMs);
    return handle;
  }

  /** Gives a timer another time; returns its new handle. */
  move(handle: number, fireAtMs: number): number {
    const before = this.fireAtMsOf(handle);
    if (this.#store.listOf(handle) === READY) {
      const id = this.idOf(handle);
      this.cancel(handle);
      return this.insert(id, fireAtMs);
    }
    this.#unlink(handle);
    this.#store.setFireAtMs(handle, fireAtMs);
    this.#link(handle);
    if (before === this.#boundMs) this.#isBoundExact = false;
    this.#lower(fireAtMs);
    return handle;
  }

  cancel(handle: number): void {
    this.#size -= 1;
    if (this.fireAtMsOf(handle) === this.#boundMs) this.#isBoundExact = false;
    // The sorted array still contains the handle, so it must not be reused before the array has passed it.
    if (this.#store.listOf(handle) === READY) {
      this.#store.setPlace(handle, DEAD, 0);
      return;
    }
    this.#unlink(handle);
    this.#store.free(handle);
  }

  /** Removes and returns the earliest due timer. Its handle stays readable until the next insert. -1: none is due. */
  pop(nowMs: number): number {
    this.#mergeLate();
    for (;;) {
      const handle = this.#ready[this.#readyAt];
      if (handle === undefined) {
        this.#ready.length = 0;
        this.#readyAt = 0;
        this.#openMs = Number.NaN;
        if (!this.#openSlot(nowMs)) return NONE;
        continue;
      }
      const isDead = this.#store.listOf(handle) === DEAD;
      if (!isDead && this.fireAtMsOf(handle) > nowMs) return NONE;
      this.#readyAt += 1;
      this.#store.free(handle);
      if (isDead) continue;
      this.#size -= 1;
      this.#isBoundExact = false;
      return handle;
    }
  }

  /** The timers with `fromMs <= fireAtMs < beforeMs`, unordered. Reads only the slots of that time. */
  between(fromMs: number, beforeMs: number): readonly number[] {
    const slots = [...this.#slots.between(fromMs, beforeMs)].map((slot) => this.#listOf(slot));
    return [this.#ready.slice(this.#readyAt), this.#late, ...slots].flatMap((handles) =>
      handles.filter((handle) => {
        const fireAtMs = this.fireAtMsOf(handle);
        return fireAtMs >= fromMs && fireAtMs < beforeMs && this.#store.listOf(handle) !== DEAD;
      }),
    );
  }

  /** The earliest fire time, exact; undefined when the wheel is empty. */
  nextFireAtMs(): number | undefined {
    if (this.#size === 0) return undefined;
    if (!this.#isBoundExact) this.#boundMs = this.#findNext();
    this.#isBoundExact = true;
    return this.#boundMs;
  }

  /** No timer fires before it. Unlike `nextFireAtMs` it needs no search. When it falls, it is the earliest fire time. */
  get boundMs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#boundMs;
  }

  #lower(fireAtMs: number): void {
    if (fireAtMs > this.#boundMs) return;
    this.#boundMs = fireAtMs;
    this.#isBoundExact = true;
  }

  #link(handle: number): void {
    const fireAtMs = this.fireAtMsOf(handle);
    if (fireAtMs < this.#slots.cursorMs || fireAtMs === this.#openMs) {
      this.#store.setPlace(handle, READY, 0);
      this.#late.push(handle);
      return;
    }
    const slot = this.#slots.slotOf(fireAtMs);
    const list = this.#listOf(slot);
    if (list.length === 0) this.#slots.occupy(slot);
    this.#store.setPlace(handle, slot, list.length);
    list.push(handle);
  }

  /** The list's last timer moves into the gap: inside a slot the order does not matter yet. */
  #unlink(handle: number): void {
    const slot = this.#store.listOf(handle);
    const list = this.#listOf(slot);
    const last = list.pop() ?? handle;
    if (last !== handle) {
      const place = this.#store.placeOf(handle);
      list[place] = last;
      this.#store.setPlace(last, slot, place);
    }
    if (list.length === 0) this.#slots.vacate(slot);
  }

  #listOf(slot: number): number[] {
    const list = this.#lists[slot];
    if (list === undefined) throw new RangeError(`no slot ${slot}`);
    return list;
  }

  #emptySlot(slot: number): readonly number[] {
    const list = this.#listOf(slot);
    this.#lists[slot] = [];
    this.#slots.vacate(slot);
    return list;
  }

  /** Empties the first slot that has begun: its timers become ready or fall to lower levels. False: none has begun. */
  #openSlot(nowMs: number): boolean {
    for (;;) {
      const slot = this.#slots.first();
      const startMs = this.#slots.startMs(slot);
      if (startMs > nowMs) {
        if (nowMs > this.#slots.cursorMs) this.#slots.moveCursor(nowMs);
        return false;
      }
      this.#slots.moveCursor(Math.max(startMs, this.#slots.cursorMs));
      if (this.#slots.isExact(slot)) {
        this.#openMs = startMs;
        this.#makeReady(this.#emptySlot(slot));
        return true;
      }
      for (const handle of this.#emptySlot(slot)) this.#link(handle);
    }
  }

  #makeReady(handles: readonly number[]): void {
    for (const handle of handles) {
      this.#store.setPlace(handle, READY, 0);
      this.#ready.push(handle);
    }
    if (handles.length > 1) this.#ready.sort(this.#store.compare);
  }

  /** A late timer may be earlier than the ready ones. The rest is sorted already, which makes this sort fast. */
  #mergeLate(): void {
    if (this.#late.length === 0) return;
    this.#ready = this.#ready.slice(this.#readyAt).concat(this.#late).sort(this.#store.compare);
    this.#readyAt = 0;
    this.#late = [];
  }

  #findNext(): number {
    this.#mergeLate();
    for (let at = this.#readyAt; at < this.#ready.length; at += 1) {
      const handle = this.#ready[at] ?? NONE;
      if (this.#store.listOf(handle) === READY) return this.fireAtMsOf(handle);
    }
    const slot = this.#slots.first();
    if (slot === NONE || this.#slots.isExact(slot)) return this.#slots.startMs(slot);
    let earliest = Number.POSITIVE_INFINITY;
    for (const handle of this.#listOf(slot)) earliest = Math.min(earliest, this.fireAtMsOf(handle));
    return earliest;
  }
}
