import type { ThingsMessage } from '../../shared/protocol.ts';

/** Reports once each module that the client was not made for: an unknown one, or a newer version. */
export class Outdated {
  readonly #versions: Readonly<Record<string, number>> | undefined;
  readonly #onOutdated: ((module: string) => void) | undefined;
  readonly #told = new Set<string>();

  constructor(
    versions: Readonly<Record<string, number>> | undefined,
    onOutdated: ((module: string) => void) | undefined,
  ) {
    this.#versions = versions;
    this.#onOutdated = onOutdated;
  }

  look({ things }: ThingsMessage): void {
    if (!this.#versions) return;
    for (const { module, version } of things) {
      const known = Object.hasOwn(this.#versions, module) ? (this.#versions[module] ?? 0) : 0;
      if (version <= known || this.#told.has(module)) continue;
      this.#told.add(module);
      this.#onOutdated?.(module);
    }
  }
}
