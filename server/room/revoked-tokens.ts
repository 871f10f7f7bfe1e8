import type { Bearer, Revocations } from '../home/revocations.ts';

/** How often it is looked what was revoked meanwhile: connections end that much later, and a turn of their room. */
const LOOK_EVERY_MS = 500;

/** What rooms ask about tokens: by the rows when somebody joins, and by what was last seen of those who are in. */
export class RevokedTokens {
  readonly #revocations: Revocations;
  #recent: ReadonlyMap<string, number> = new Map();
  #lookedAtMs: number | undefined;

  constructor(revocations: Revocations) {
    this.#revocations = revocations;
  }

  /** For a loop. */
  tick = async (): Promise<number> => {
    const { nowMs, revoked } = await this.#revocations.recent(this.#lookedAtMs);
    this.#lookedAtMs = nowMs;
    this.#recent = new Map(revoked.map(({ key, issuedUntilMs }) => [key, issuedUntilMs]));
    return LOOK_EVERY_MS;
  };

  isRevoked(bearer: Bearer): Promise<boolean> {
    return this.#revocations.isRevoked(bearer);
  }

  /** Of a token that let somebody in a while ago. */
  wasRevoked({ keys, issuedAtMs }: Bearer): boolean {
    return this.#recent.size > 0 && keys.some((key) => (this.#recent.get(key) ?? -1) >= issuedAtMs);
  }
}
