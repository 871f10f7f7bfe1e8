import type { HomeEvent } from '../../../shared/event.ts';
import type { Reply } from '../../../shared/protocol.ts';
import type { Answer } from '../../home/model/homes.ts';

/** What there is to tell: part of a log, and which commands it came of. */
export interface News {
  readonly events: readonly HomeEvent[];
  readonly answers: readonly Answer[];
  readonly nowMs: number;
  /** The end of the log as of these news. */
  readonly seq: number;
}

/** Where they begin. News without events say that everything up to their end is in the log. */
export const firstSeqOf = (news: News): number => news.events[0]?.seq ?? news.seq + 1;

/** A reply that no commit announced: of a command sent again, or one that another process committed. */
export const newsOf = (commandId: string, reply: Reply): News => ({
  events: reply.events,
  answers: [{ commandId, fromSeq: reply.events[0]?.seq ?? reply.seq, reply }],
  nowMs: reply.nowMs,
  seq: reply.seq,
});
