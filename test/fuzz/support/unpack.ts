/** The value of a MessagePack that a server has sent: what JSON can hold, and keys in any order. Throws for anything else. */
export const unpack = (bytes: Buffer): unknown => new Reader(bytes).value();

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(): unknown {
    const code = this.#take(1).readUInt8();
    if (code < 0x80) return code;
    if (code < 0x90) return this.#record(code & 15);
    if (code < 0xa0) return this.#list(code & 15);
    if (code < 0xc0) return this.#text(code & 31);
    if (code >= 0xe0) return code - 256;
    const read = this.#byCode[code];
    if (read === undefined) throw new Error(`no value begins with ${code}`);
    return read();
  }

  readonly #byCode: Readonly<Record<number, () => unknown>> = {
    192: () => null,
    194: () => false,
    195: () => true,
    202: () => this.#take(4).readFloatBE(),
    203: () => this.#take(8).readDoubleBE(),
    204: () => this.#take(1).readUInt8(),
    205: () => this.#take(2).readUInt16BE(),
    206: () => this.#take(4).readUInt32BE(),
    207: () => Number(this.#take(8).readBigUInt64BE()),
    208: () => this.#take(1).readInt8(),
    209: () => this.#take(2).readInt16BE(),
    210: () => this.#take(4).readInt32BE(),
    211: () => Number(this.#take(8).readBigInt64BE()),
    217: () => this.#text(this.#take(1).readUInt8()),
    218: () => this.#text(this.#take(2).readUInt16BE()),
    220: () => this.#list(this.#take(2).readUInt16BE()),
    222: () => this.#record(this.#take(2).readUInt16BE()),
  };

  #take(count: number): Buffer {
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  readonly #text = (length: number): string => this.#take(length).toString();

  readonly #list = (length: number): unknown[] => Array.from({ length }, () => this.value());

  readonly #record = (size: number): object =>
    Object.fromEntries(Array.from({ length: size }, () => [this.value(), this.value()]));
}
