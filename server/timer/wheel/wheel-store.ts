const NONE = -1;
/** A record is 24 bytes: `fireAtMs` and `id` as doubles, `place` and `list` as integers. */
const DOUBLES = 3;
const INTEGERS = 6;
const PLACE = 4;
const LIST = 5;

/**
 * The timers of a wheel as records in one buffer: a handle is the number of a record. Fields that are used together lie
 * together, because at a million timers a move costs as much as its cache misses.
 */
export class WheelStore {
  #doubles: Float64Array;
  #integers: Int32Array;
  #capacity: number;
  #used = 0;
  /** Freed records, chained through `place`. */
  #free: number = NONE;

  constructor(capacity: number) {
    const buffer = new ArrayBuffer(capacity * DOUBLES * 8);
    this.#doubles = new Float64Array(buffer);
    this.#integers = new Int32Array(buffer);
    this.#capacity = capacity;
  }

  allocate(id: number, fireAtMs: number): number {
    let handle = this.#free;
    if (handle === NONE) {
      if (this.#used === this.#capacity) this.#grow();
      handle = this.#used;
      this.#used += 1;
    } else {
      this.#free = this.placeOf(handle);
    }
    this.#doubles[handle * DOUBLES] = fireAtMs;
    this.#doubles[handle * DOUBLES + 1] = id;
    return handle;
  }

  free(handle: number): void {
    this.#integers[handle * INTEGERS + PLACE] = this.#free;
    this.#free = handle;
  }

  fireAtMsOf(handle: number): number {
    return this.#doubles[handle * DOUBLES] ?? Number.NaN;
  }

  setFireAtMs(handle: number, fireAtMs: number): void {
    this.#doubles[handle * DOUBLES] = fireAtMs;
  }

  idOf(handle: number): number {
    return this.#doubles[handle * DOUBLES + 1] ?? Number.NaN;
  }

  listOf(handle: number): number {
    return this.#integers[handle * INTEGERS + LIST] ?? NONE;
  }

  placeOf(handle: number): number {
    return this.#integers[handle * INTEGERS + PLACE] ?? NONE;
  }

  setPlace(handle: number, list: number, place: number): void {
    this.#integers[handle * INTEGERS + PLACE] = place;
    this.#integers[handle * INTEGERS + LIST] = list;
  }

  /** The order in which due timers come out. */
  compare = (left: number, right: number): number =>
    this.fireAtMsOf(left) - this.fireAtMsOf(right) || this.idOf(left) - this.idOf(right);

  #grow(): void {
    this.#capacity *= 2;
    const buffer = new ArrayBuffer(this.#capacity * DOUBLES * 8);
    const doubles = new Float64Array(buffer);
    doubles.set(this.#doubles);
    this.#doubles = doubles;
    this.#integers = new Int32Array(buffer);
  }
}
