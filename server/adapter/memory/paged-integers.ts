const PAGE_BITS = 12;
const PAGE = 2 ** PAGE_BITS;

/** 32-bit integers by position; unset positions are -1. Grows by a page and copies nothing. */
export class PagedIntegers {
  readonly #pages: Int32Array[] = [];

  get(at: number): number {
    return this.#pages[at >>> PAGE_BITS]?.[at % PAGE] ?? -1;
  }

  set(at: number, value: number): void {
    const number = at >>> PAGE_BITS;
    while (this.#pages.length <= number) this.#pages.push(new Int32Array(PAGE).fill(-1));
    const page = this.#pages[number];
    if (page) page[at % PAGE] = value;
  }
}
