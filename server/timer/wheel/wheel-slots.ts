/** 8 bits a level: slots of 1 ms, 256 ms, 65 s, 4.7 h, 50 days, 35 years; the top level reaches past the year 10000. */
const SLOTS = 256;
const LEVELS = 6;
const WORDS = SLOTS / 32;

/** How many milliseconds one slot of each level spans. */
const SPAN_MS = Float64Array.from({ length: LEVELS }, (_, level) => SLOTS ** level);

/**
 * One bit for each slot that has timers, and the arithmetic from an instant to its slot. A timer lies at the level of
 * the highest digit (base 256) in which its time differs from the cursor's. So the lowest occupied level has the
 * earliest timers, in its first occupied slot.
 */
export class WheelSlots {
  static readonly count: number = SLOTS * LEVELS;
  readonly #bits: Int32Array = new Int32Array(WORDS * LEVELS);
  /** Of each level, which of its words have a bit. */
  readonly #words: Int32Array = new Int32Array(LEVELS);
  readonly #cursor: Float64Array = new Float64Array(LEVELS);

  constructor(cursorMs: number) {
    this.moveCursor(cursorMs);
  }

  get cursorMs(): number {
    return this.#cursor[0] ?? 0;
  }

  /** The caller guarantees that no occupied slot begins before `cursorMs`, except the slot that it is about to empty. */
  moveCursor(cursorMs: number): void {
    this.#cursor[0] = cursorMs;
    if (Math.floor(cursorMs / SLOTS) === this.#cursor[1]) return;
    for (let level = 1; level < LEVELS; level += 1) this.#cursor[level] = Math.floor(cursorMs / (SPAN_MS[level] ?? 1));
  }

  /** The slot of an instant at or after the cursor. */
  slotOf(fireAtMs: number): number {
    let level = 0;
    let digits = fireAtMs;
    for (; level < LEVELS - 1; level += 1) {
      const above = Math.floor(digits / SLOTS);
      if (above === this.#cursor[level + 1]) break;
      digits = above;
    }
    return level * SLOTS + (digits % SLOTS);
  }

  /** The instant at which a slot begins; infinity for no slot (-1). */
  startMs(slot: number): number {
    if (slot < 0) return Number.POSITIVE_INFINITY;
    const level = slot >> 8;
    const cursor = this.#cursor[level] ?? 0;
    return (cursor - (cursor % SLOTS) + (slot % SLOTS)) * (SPAN_MS[level] ?? 1);
  }

  isExact(slot: number): boolean {
    return slot < SLOTS;
  }

  occupy(slot: number): void {
    const word = slot >> 5;
    this.#bits[word] = (this.#bits[word] ?? 0) | (1 << (slot & 31));
    this.#words[slot >> 8] = (this.#words[slot >> 8] ?? 0) | (1 << (word % WORDS));
  }

  vacate(slot: number): void {
    const word = slot >> 5;
    const bits = (this.#bits[word] ?? 0) & ~(1 << (slot & 31));
    this.#bits[word] = bits;
    if (bits === 0) this.#words[slot >> 8] = (this.#words[slot >> 8] ?? 0) & ~(1 << (word % WORDS));
  }

  /** The first occupied slot in time, or -1. Reads at most seven words, however many timers the wheel has. */
  first(): number {
    for (let level = 0; level < LEVELS; level += 1) {
      const words = this.#words[level] ?? 0;
      if (words === 0) continue;
      const word = level * WORDS + lowestBit(words);
      return word * 32 + lowestBit(this.#bits[word] ?? 0);
    }
    return -1;
  }

  /** The occupied slots that overlap `fromMs <= time < beforeMs`. */
  *between(fromMs: number, beforeMs: number): Iterable<number> {
    for (let word = 0; word < this.#bits.length; word += 1) {
      for (let bits = this.#bits[word] ?? 0; bits !== 0; bits &= bits - 1) {
        const slot = word * 32 + lowestBit(bits);
        const startMs = this.startMs(slot);
        if (startMs < beforeMs && startMs + (SPAN_MS[slot >> 8] ?? 1) > fromMs) yield slot;
      }
    }
  }
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);
