import { setTimeout as pass } from 'node:timers/promises';
import type { Reply } from '../../../shared/pets/protocol.ts';
import {
  type Attempt,
  type AttemptOutcome,
  type CommandRecord,
  type Growth,
  isFinal,
  type Violation,
} from '../evidence/evidence.ts';
import type { Witness } from '../evidence/read-evidence.ts';
import type { Random } from '../play/random.ts';
import { rules } from '../play/rules.ts';
import { within } from '../play/within.ts';
import { OPS_TOKEN } from '../world/node.ts';

interface Options {
  /** Addresses; any of them will do. */
  readonly gateways: readonly string[];
  /** The players. */
  readonly players: readonly string[];
  readonly random: Random;
}

interface SentGrant extends CommandRecord {
  readonly attempts: Attempt[];
}

const EVERY_MS = 150;
/** Rules are changed every so many grants. */
const GRANTS_A_CHANGE = 8;
/** Each change says another time, so that an event says which rules decided it. */
const LONGER_MS = 1;
const ANSWER_MS = 3_500;
const ITEMS = ['crumb', 'snack', 'auto-feed'] as const;
const LOOKS = ['overview', 'index', 'failed', 'timers?kind=feeding'] as const;
const headers = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' };

/**
 * Operators read every page, give players items and change how long beds grow. A call without an outcome is sent again with
 * the same id.
 */
export class Operators {
  /** Orders that no server may refuse. */
  readonly violations: Violation[] = [];
  readonly #options: Options;
  readonly #grants = new Map<string, SentGrant[]>();
  readonly #growths: Growth[] = [{ growMs: rules.field.growMs, orderedAtMs: 0, committedByMs: 0 }];
  #count = 0;
  #accepted = 0;
  #isAtWork = true;
  #working: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /** What the rules of the field said, one after the other. */
  get growths(): readonly Growth[] {
    return this.#growths;
  }

  start(): void {
    this.#working = this.#work();
  }

  /** Whether a gift and a change of rules were accepted. */
  get haveActed(): boolean {
    return this.#accepted > 0 && Number.isFinite(this.#growths[1]?.committedByMs);
  }

  /** Resolves when what they began has an outcome, or `limitMs` are over. */
  async rest(limitMs: number): Promise<void> {
    this.#isAtWork = false;
    await within(limitMs, this.#working).catch(() => {
      this.violations.push({ playerId: 'an operator', what: `got no answer within ${limitMs} ms` });
    });
  }

  /** The players' testimonies, with what operators sent for them. */
  beside(witnesses: readonly Witness[]): readonly Witness[] {
    return witnesses.map((witness) => ({
      ...witness,
      commands: [...witness.commands, ...(this.#grants.get(witness.playerId) ?? [])],
    }));
  }

  async #work(): Promise<void> {
    const { random, players } = this.#options;
    while (this.#isAtWork) {
      await this.#ask(random.pick(LOOKS));
      const playerId = players[random.below(players.length)];
      if (playerId !== undefined) await this.#grant(playerId);
      if (this.#count % GRANTS_A_CHANGE === 1) await this.#changeRules();
      await pass(EVERY_MS);
    }
  }

  async #grant(playerId: string): Promise<void> {
    this.#count += 1;
    const items = { [this.#options.random.pick(ITEMS)]: 1 };
    const commandId = `operator-grant-${this.#count}`;
    const grant: SentGrant = { commandId, type: 'ops:grant', payload: { items }, attempts: [] };
    this.#grants.set(playerId, [...(this.#grants.get(playerId) ?? []), grant]);
    const body = JSON.stringify({ commandId: grant.commandId, reason: 'for the trouble', items });
    const outcome = await this.#until(`players/${encodeURIComponent(playerId)}/grant`, body, (attempt) =>
      grant.attempts.push(attempt),
    );
    if (outcome.kind === 'accepted') this.#accepted += 1;
  }

  /** One at a time, each on the version before it: they are in force in this order. */
  async #changeRules(): Promise<void> {
    const expectedVersion = this.#growths.length;
    const growMs = rules.field.growMs + expectedVersion * LONGER_MS;
    const growth = { growMs, orderedAtMs: Date.now(), committedByMs: Number.POSITIVE_INFINITY };
    const place = this.#growths.push(growth) - 1;
    const commandId = `operator-rules-${expectedVersion}`;
    const body = JSON.stringify({ commandId, reason: 'a sale', config: { growMs }, expectedVersion });
    const outcome = await this.#until('rules/field', body);
    if (outcome.kind === 'accepted') this.#growths[place] = { ...growth, committedByMs: Date.now() };
    else this.violations.push({ playerId: 'an operator', what: `could not change rules: ${JSON.stringify(outcome)}` });
  }

  /** Asks again under the same id until there is an outcome. */
  async #until(
    what: string,
    body: string,
    note: (attempt: Attempt) => void = () => undefined,
  ): Promise<AttemptOutcome> {
    for (;;) {
      const sentAtMs = Date.now();
      const { gateway, outcome } = await this.#ask(what, body);
      note({ gateway, sentAtMs, endedAtMs: Date.now(), outcome });
      if (isFinal(outcome)) return outcome;
      await pass(EVERY_MS);
    }
  }

  /** Of a look only whether it was answered is of interest. */
  async #ask(what: string, body?: string): Promise<{ readonly gateway: string; readonly outcome: AttemptOutcome }> {
    const { gateways, random } = this.#options;
    const gateway = gateways[random.below(gateways.length)] ?? '';
    const outcome = await fetch(`${gateway}/ops/api/${what}`, {
      headers,
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body !== undefined && { method: 'POST', body }),
    }).then(outcomeOf, (error: unknown): AttemptOutcome => ({ kind: 'unknown', why: String(error) }));
    return { gateway, outcome };
  }
}

const outcomeOf = async (response: Response): Promise<AttemptOutcome> => {
  const done = (await response.json().catch(() => ({}))) as Done;
  // The answer to a look has none.
  const { seq = 0, events = [] } = done.answer ?? {};
  if (response.ok) return { kind: 'accepted', reply: { seq, events, nowMs: events[0]?.at ?? 0 } };
  if (done.code === undefined || response.status >= 500) return { kind: 'unknown', why: `status ${response.status}` };
  return { kind: 'rejected', code: done.code, retryable: done.retryable ?? false };
};

interface Done {
  readonly answer?: Pick<Reply, 'seq' | 'events'>;
  readonly code?: string;
  readonly retryable?: boolean;
}
