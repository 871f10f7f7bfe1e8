import { createHmac } from 'node:crypto';

/** The first 53 bits of HMAC-SHA256. Each field is preceded by its length, so that no two lists of fields give one text. */
export const bitsBy =
  (secret: string) =>
  (fields: readonly string[]): number => {
    const hmac = createHmac('sha256', secret);
    for (const field of fields) hmac.update(`${Buffer.byteLength(field)}:${field}`);
    return Number(hmac.digest().readBigUInt64BE() >> 11n);
  };
