import type { LoadOptions, LoadOutcome } from './run-load.ts';

/** The options and results of a run, as `--json` prints them. Times in ms. */
export const reportOf = (options: LoadOptions, outcome: LoadOutcome) => {
  const { measures, run, measuredMs, unsent, wasStopped } = outcome;
  const { url, seed, players, perSec, rampUpMs, forMs } = options;
  const command = measures.commands.percentiles();
  return {
    run,
    asked: { url, seed, players, perSec, rampUpMs, forMs },
    wasStopped,
    measuredMs: Math.round(measuredMs),
    perSec: measuredMs > 0 ? Math.round(((command?.count ?? 0) * 10_000) / measuredMs) / 10 : 0,
    /** Of the players asked for; the others never got in. */
    joined: measures.joined,
    sent: measures.sent,
    accepted: measures.accepted,
    /** Due and never sent: no free player had a command to send. */
    unsent,
    /** Sent, with an unknown outcome. */
    open: measures.sent - measures.finished,
    byType: measures.asked.byWord(),
    refused: measures.refused.byWord(),
    /** Attempts without a reply; they were repeated. */
    unanswered: measures.unanswered.byWord(),
    failedJoins: measures.failedJoins.byWord(),
    comebacks: measures.comebacks,
    successors: measures.successors,
    timesMs: {
      command: command ?? null,
      answer: measures.answers.percentiles() ?? null,
      dueToClient: measures.dueToClient.percentiles() ?? null,
      join: measures.joins.percentiles() ?? null,
    },
    /** The possible error of `dueToClient`. */
    clockErrorMs: clockErrorMsOf(measures),
  };
};

/** The server sends whole milliseconds, rounded down. */
const HALF_A_MS = 0.5;

/** A time request is precise to half its round trip; the clients take the median of their best. */
const clockErrorMsOf = ({ timeTrips }: LoadOutcome['measures']): number | null => {
  const trips = timeTrips.percentiles();
  return trips ? trips.p50 / 2 + HALF_A_MS : null;
};

export type LoadReport = ReturnType<typeof reportOf>;

/** All players joined, all commands were sent as planned, and every outcome is known. A refusal by the rules is no fault. */
export const isWell = ({ wasStopped, asked, joined, unsent, open, sent }: LoadReport): boolean =>
  !wasStopped && joined === asked.players && unsent === 0 && open === 0 && sent > 0;
