/** Commits are on disk, or a kill would lose what was answered; and each keeps its time, for the checker. */
export const chaosPostgres = { durable: true, settings: { track_commit_timestamp: 'on' } } as const;
