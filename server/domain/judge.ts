import type { HomeEvent } from '../../shared/event.ts';
import type { Home } from '../../shared/home.ts';
import { decide } from './decide.ts';
import { fold } from './evolve.ts';
import type { Case, Decision } from './scene.ts';
import { settle } from './settle.ts';

export interface Judgement {
  readonly home: Home;
  /** What time had brought before the command: it stays, even when the command is refused. */
  readonly settled: readonly HomeEvent[];
  /** The command's own events and what followed from them at once. */
  readonly decision: Decision;
}

/** Settles, decides, settles again: the one way in which a command meets a home. Throws a `ModuleFault` of settling. */
export const judge = (input: Case): Judgement => {
  const { modules } = input;
  const nowMs = Math.max(input.nowMs, input.home.lastAtMs);
  const settled = settle(modules, input.home, nowMs);
  const found = fold(modules, input.home, settled);
  const decision = decide({ ...input, home: found, nowMs });
  if (!decision.ok) return { home: found, settled, decision };
  const changed = fold(modules, found, decision.value);
  const followed = settle(modules, changed, nowMs);
  return {
    home: fold(modules, changed, followed),
    settled,
    decision: { ok: true, value: [...decision.value, ...followed] },
  };
};
