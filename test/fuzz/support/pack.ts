/** MessagePack of what JSON can hold, as the SDK would send it; by hand, so that the bytes can be spoilt afterwards. */
export const pack = (value: unknown): Buffer => {
  if (value === null || value === undefined) return Buffer.from([0xc0]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === 'number') return packNumber(value);
  if (typeof value === 'string') return packText(value);
  if (Array.isArray(value)) return Buffer.concat([listHead(value.length), ...value.map(pack)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([head(0xdf, entries.length), ...entries.flatMap(([key, part]) => [packText(key), pack(part)])]);
};

/** An object as the JavaScript SDK writes it: its keys, then its values. */
export const packRecord = (value: object): Buffer => {
  const keys = Object.keys(value);
  return Buffer.concat([Buffer.from([0xd4, 0x72, 0x40]), pack(keys), ...Object.values(value).map(pack)]);
};

export const packText = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes.length < 32 ? Buffer.from([0xa0 + bytes.length]) : head(0xdb, bytes.length), bytes]);
};

const packNumber = (value: number): Buffer => {
  if (Number.isInteger(value) && value >= 0 && value < 128) return Buffer.from([value]);
  const bytes = Buffer.alloc(9);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return bytes;
};

const listHead = (length: number): Buffer => (length < 16 ? Buffer.from([0x90 + length]) : head(0xdd, length));

const head = (code: number, length: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes[0] = code;
  bytes.writeUInt32BE(length, 1);
  return bytes;
};

/** A plain message (`send`), and one that wants an answer (`request`). */
export const dataFrame = (type: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([13]), packText(type), body]);
export const requestFrame = (id: number, type: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([21, id]), packText(type), body]);

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
