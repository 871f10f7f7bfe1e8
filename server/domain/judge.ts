import type { HomeEvent } from '../../shared/event.ts';
import type { Home } from '../../shared/home.ts';
import { decide } from './decide.ts';
import type { Case, Decision } from './scene.ts';
import { settleSome } from './settle.ts';

export interface Judgement {
  readonly home: Home;
  /** What time had brought before the command: it stays, even when the command is refused. */
  readonly settled: readonly HomeEvent[];
  /** The command's own events and what followed from them at once. */
  readonly decision: Decision;
}

/** Settles, decides, settles again: the one way in which a command meets a home. Throws a `ModuleFault` of settling. */
export const judge = (input: Case): Judgement => {
  const nowMs = Math.max(input.nowMs, input.home.lastAtMs);
  const { events: settled, home } = settledAt(input, nowMs);
  return { settled, ...judgeSettled({ ...input, home, nowMs }) };
};

/** The same where the home is settled at `nowMs`. */
export const judgeSettled = (input: Case): Omit<Judgement, 'settled'> => {
  const decision = decide(input);
  if (!decision.ok) return { home: input.home, decision };
  const followed = settledAt({ modules: input.modules, home: decision.home }, input.nowMs);
  const { home } = followed;
  return { home, decision: { ok: true, value: [...decision.value, ...followed.events], home } };
};

const settledAt = ({ modules, home }: Pick<Case, 'modules' | 'home'>, nowMs: number) =>
  settleSome(modules, home, { nowMs, maxEvents: Number.POSITIVE_INFINITY });
