import type { Answer, Commit } from '../../home/model/commit.ts';

/** Part of a log, and which commands it came of. */
export interface News extends Pick<Commit, 'events' | 'answers' | 'nowMs'> {
  /** The end of the log as of these news. */
  readonly seq: number;
}

/** Where they begin. News without events say that everything up to their end is in the log. */
export const firstSeqOf = (news: News): number => news.events[0]?.seq ?? news.seq + 1;

/** The first reply to a command that was sent again: its events lie before those of the commit. */
export const newsOf = (answer: Answer): News => {
  const { events, nowMs, seq } = answer.reply;
  return { events, answers: [answer], nowMs, seq };
};
