import type { Catalogue } from '../../shared/catalogue.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { fold } from '../../shared/evolve.ts';
import type { Home } from '../../shared/home.ts';
import type { Command } from '../../shared/protocol.ts';
import { decide } from './decide.ts';
import { draftOf } from './draft.ts';
import type { OperatorCommand } from './operator-command.ts';
import type { Decision } from './scene.ts';
import { settle } from './settle.ts';

export interface Judgement {
  readonly home: Home;
  /** What time had brought before the command: it stays, even when the command is refused. */
  readonly settled: readonly HomeEvent[];
  /** The command's own events and what followed from them at once. */
  readonly decision: Decision;
}

/** Settles, decides, settles again: the one way in which a command meets a home. */
export const judge = (input: {
  readonly catalogue: Catalogue;
  readonly home: Home;
  readonly command: Command | OperatorCommand;
  readonly commandId: string;
  readonly nowMs: number;
}): Judgement => {
  const nowMs = Math.max(input.nowMs, input.home.lastAtMs);
  const settled = settle(input.home, nowMs);
  const found = fold(input.home, settled);
  const decision = decide({ ...input, home: found, nowMs });
  if (!decision.ok) return { home: found, settled, decision };
  const changed = fold(found, decision.value);
  const followed = settle(changed, nowMs);
  return {
    home: fold(changed, followed),
    settled,
    decision: { ok: true, value: [...decision.value, ...followed] },
  };
};

/** The events that open a home: the starter items, always the first of a log. */
export const openHome = (home: Home, catalogue: Catalogue, nowMs: number): readonly HomeEvent[] => {
  const draft = draftOf(home);
  draft.add(nowMs, { type: 'items-granted', items: catalogue.starter.items, reason: 'starter' });
  return draft.events();
};
