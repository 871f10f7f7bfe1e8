import type { IncomingMessage } from 'node:http';

/**
 * Reads a body whose length was checked, whatever type it claims to have: an object, `{}` when there is none. Undefined
 * when it is no JSON object. Never ends for a client that goes away; the server's own time-out ends the request then.
 */
export const readObject = (request: IncomingMessage): Promise<object | undefined> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve(objectIn(Buffer.concat(chunks).toString('utf8'))));
  });

const objectIn = (text: string): object | undefined => {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
