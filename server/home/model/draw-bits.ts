import { createHmac } from 'node:crypto';

/** HMAC-SHA256, its first 53 bits. Each field has its length before it, so that no two lists of fields are one text. */
export const bitsBy =
  (secret: string) =>
  (fields: readonly string[]): number => {
    const hmac = createHmac('sha256', secret);
    for (const field of fields) hmac.update(`${Buffer.byteLength(field)}:${field}`);
    return Number(hmac.digest().readBigUInt64BE() >> 11n);
  };
