import { parseRulesFile } from '../server/settings/rules.ts';
import { type Catalogue, defaultCatalogue } from '../shared/pets/catalogue.ts';
import { LoadRefused } from './play.ts';

const ANSWER_MS = 10_000;

/**
 * The server's rules; the default ones if it does not serve rules. Throws `LoadRefused` if no server replies, or
 * another program than the game.
 */
export const rulesAt = async (url: string, signal: AbortSignal, answerMs = ANSWER_MS): Promise<Catalogue> => {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const { ok, status, body } = await textAt(new URL('rules.json', `${url.replace(/\/+$/, '')}/`), bounded).catch(
    (error: unknown) => {
      if (signal.aborted) throw new LoadRefused('stopped');
      const reason = bounded.aborted ? `nothing came in ${answerMs / 1000} s` : reasonOf(error);
      throw new LoadRefused(`no server answers at ${url}: ${reason}`);
    },
  );
  if (status === 404) return defaultCatalogue;
  if (!ok) throw new LoadRefused(`the program at ${url} serves no rules (status ${status})`);
  return catalogueIn(jsonIn(body), `${url}/rules.json`);
};

const textAt = async (url: URL, signal: AbortSignal) => {
  const response = await fetch(url, { signal });
  return { ok: response.ok, status: response.status, body: await response.text() };
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The rules of a rules file's content. Throws `LoadRefused` with all faults. */
export const catalogueIn = (json: unknown, from: string): Catalogue => {
  const parsed = parseRulesFile(json);
  if (!parsed.ok) throw new LoadRefused(`${from} holds no rules: ${parsed.error.join('; ')}`);
  return parsed.value.pets;
};

/** The error of `fetch` says little; its cause says more. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error instanceof Error ? error.message : String(error);
};
