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
