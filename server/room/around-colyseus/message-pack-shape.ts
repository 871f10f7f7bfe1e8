/** Deeper than any message of ours, and than any of a game that `unpack` should read. */
const [DEEPEST, DEEPEST_OF_GAMES] = [16, 256];

/**
 * Whether the rest of a frame is one whole MessagePack value of JSON types (and `undefined`, and instants, which SDKs
 * write), not deeper than any message. A large length in the frame makes it allocate nothing large.
 *
 * The JavaScript SDK writes an object as a record: its keys once, under a number, then its values. A further object
 * with the same keys is that number and its values. Checked with @colyseus/sdk 0.18.4. Messages of a game may be
 * deeper; Colyseus reads those with an extension.
 */
export const isMessagePack = (bytes: Uint8Array, start: number, isOurs = true): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Records = new Map();
  /** For each open list or map: how many values are missing. */
  const open = [1];
  let at = start;
  for (let left = open.pop(); left !== undefined; left = open.pop()) {
    if (left === 0) continue;
    open.push(left - 1);
    const size = at < bytes.length ? sizeAt(view, at, records) : undefined;
    if (size === undefined) return false;
    if (size === EXTENSION) return !isOurs;
    at += size.bytes;
    if (at > bytes.length || size.values > bytes.length - at) return false;
    if (size.values > 0 && open.push(size.values) > (isOurs ? DEEPEST : DEEPEST_OF_GAMES)) return false;
  }
  return at === bytes.length;
};

/** A value's own bytes, and the number of values inside. */
interface Size {
  readonly bytes: number;
  readonly values: number;
}

/** A type that JSON lacks: only its writer knows its length. */
const EXTENSION: Size = { bytes: 0, values: 0 };

/** The number of keys of each numbered record. */
type Records = Map<number, number>;

const plain = (bytes: number): Size => ({ bytes, values: 0 });

const sizeAt = (view: DataView, at: number, records: Records): Size | undefined => {
  const first = view.getUint8(at);
  if (first < 0x80) return { bytes: 1, values: records.get(first) ?? 0 };
  if (first >= 0xe0) return plain(1);
  if (first < 0x90) return { bytes: 1, values: 2 * (first & 0x0f) };
  if (first < 0xa0) return { bytes: 1, values: first & 0x0f };
  if (first < 0xc0) return plain(1 + (first & 0x1f));
  const length = lengthAt(view, at + 1, lengthWidths[first]);
  if (length !== undefined) return sizeOf(first, length);
  const width = widths[first];
  if (width !== undefined) return plain(1 + width);
  if (isUndefined(view, at, first) || isInstant(view, at, first)) return plain(extensions[first] ?? 1);
  if (first === 0xd4 && at + 1 < view.byteLength && view.getUint8(at + 1) === 0x72) return recordAt(view, at, records);
  return (first >= 0xc7 && first <= 0xc9) || (first >= 0xd4 && first <= 0xd8) ? EXTENSION : undefined;
};

const sizeOf = (first: number, { value, width }: { readonly value: number; readonly width: number }): Size => {
  if (first === 0xdc || first === 0xdd) return { bytes: 1 + width, values: value };
  if (first === 0xde || first === 0xdf) return { bytes: 1 + width, values: 2 * value };
  return plain(1 + width + value);
};

/** `d4 72`, the number, and the keys as a list of texts; the values follow. */
const recordAt = (view: DataView, at: number, records: Records): Size | undefined => {
  if (at + 3 >= view.byteLength) return undefined;
  const first = view.getUint8(at + 3);
  const keys =
    first >= 0x90 && first < 0xa0
      ? { value: first & 0x0f, width: 0 }
      : lengthAt(view, at + 4, first === 0xdc ? 2 : undefined);
  if (keys === undefined) return undefined;
  let end = at + 4 + keys.width;
  for (let key = 0; key < keys.value; key++) {
    if (end >= view.byteLength) return undefined;
    const head = view.getUint8(end);
    const length =
      head >= 0xa0 && head < 0xc0 ? { value: head & 0x1f, width: 0 } : lengthAt(view, end + 1, textWidths[head]);
    if (length === undefined) return undefined;
    end += 1 + length.width + length.value;
  }
  const number = view.getUint8(at + 2);
  if (number < 0x40 || number > 0x7f) return undefined;
  records.set(number, keys.value);
  return { bytes: end - at, values: keys.value };
};

/** nil, booleans, floats, integers. */
const widths: Readonly<Record<number, number>> = {
  192: 0,
  194: 0,
  195: 0,
  202: 4,
  203: 8,
  204: 1,
  205: 2,
  206: 4,
  207: 8,
  208: 1,
  209: 2,
  210: 4,
  211: 8,
};
/** The widths of the lengths of bytes, texts, lists and maps. */
const lengthWidths: Readonly<Record<number, number>> = {
  196: 1,
  197: 2,
  198: 4,
  217: 1,
  218: 2,
  219: 4,
  220: 2,
  221: 4,
  222: 2,
  223: 4,
};
const textWidths: Readonly<Record<number, number>> = { 217: 1, 218: 2, 219: 4 };
const extensions: Readonly<Record<number, number>> = { 212: 3, 214: 6, 215: 10, 199: 15 };

const lengthAt = (view: DataView, at: number, width: number | undefined) => {
  if (width === undefined || at + width > view.byteLength) return undefined;
  const value = width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at) : view.getUint32(at);
  return { value, width };
};

const isUndefined = (view: DataView, at: number, first: number): boolean =>
  first === 0xd4 && at + 2 < view.byteLength && view.getUint16(at + 1) === 0;

/** Extension -1, in its three lengths. */
const isInstant = (view: DataView, at: number, first: number): boolean => {
  if (at + 2 >= view.byteLength) return false;
  if (first === 0xd6 || first === 0xd7) return view.getInt8(at + 1) === -1;
  return first === 0xc7 && view.getUint8(at + 1) === 12 && view.getInt8(at + 2) === -1;
};
