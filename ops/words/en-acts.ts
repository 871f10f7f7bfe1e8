import { text } from './text.ts';

/** The words of acts: their questions, previews and results. */
export const enActs = {
  act: {
    reason: 'Reason',
    reasonShort: 'At least 3 characters.',
    reasonHint: 'In the audit; for acts on players also in their log. No personal data.',
    preview: 'Show what will happen',
    previewing: 'Looking …',
    willHappen: 'This will happen',
    sent: 'This was sent',
    notDone: 'Nothing has been done yet.',
    change: 'Change',
    doing: 'Doing it …',
    done: 'Done',
    unknown: 'The outcome is not known: the server did not answer. Send it again: it is done once.',
    sendAgain: 'Send again',
    typeToConfirm: text<{ id: string }>(({ id }) => `Type ${id} to confirm`),
    cannotUndo: 'It cannot be taken back.',
    item: 'Item',
    count: 'Count',
    addItem: 'Another item',
    removeItem: 'Remove this item',
    direction: 'Direction',
    later: 'later',
    sooner: 'sooner',
    unit: 'Unit',
    unitNames: { s: 'seconds', min: 'minutes', h: 'hours', d: 'days' },
  },

  acts: {
    grant: { title: 'Give items', about: 'Adds items to the player’s stock.', go: 'Give' },
    take: {
      title: 'Take items',
      about: 'Takes items out of the player’s stock, if it has that many.',
      go: 'Take',
    },
    shift: {
      title: 'Shift the due time',
      about: 'Moves the due time on the clock. Before now it completes now.',
      go: 'Shift',
    },
    stop: {
      title: 'Stop it',
      about: 'Ends what is under way without completing it, by the rules of its module.',
      go: 'Stop it',
    },
    freeze: {
      title: 'Freeze',
      about: 'Refuses all commands of the player. What is under way completes.',
      go: 'Freeze',
    },
    unfreeze: { title: 'Unfreeze', about: 'Accepts commands of the player again.', go: 'Unfreeze' },
    exportPlayer: { title: 'Export', about: 'All data of the player as one JSON file.', go: 'Download' },
    erase: {
      title: 'Erase',
      about:
        'Removes every row of the player. A hash of the id stays in the audit. Items in the game’s own inventory go only if it has the method erase.',
      go: 'Erase for good',
    },
    merge: {
      title: 'Merge into …',
      about:
        'Moves all things and items to another player, and closes this home. Due times stay. Items in the game’s own inventory go only if it has the method merge.',
      go: 'Merge',
    },
    shiftTimer: { title: 'Shift', about: 'Moves the due time.', go: 'Shift' },
    fireTimer: {
      title: 'Fire now',
      about: 'Makes the timer due now.',
      go: 'Fire now',
    },
    pauseTimer: {
      title: 'Pause',
      about: 'The timer does not fire. Its due time stays.',
      go: 'Pause',
    },
    resumeTimer: { title: 'Resume', about: 'The timer fires when it is due, or at once.', go: 'Resume' },
    completeTimer: {
      title: 'Complete',
      about: 'Ends the timer as if it had fired. Its handler is not called.',
      go: 'Complete',
    },
    cancelTimer: { title: 'Cancel timer', about: 'The timer never fires.', go: 'Cancel timer' },
    pauseKind: {
      title: 'Pause kind',
      about: 'Timers of this kind do not fire, also new ones. Joins and commands still settle things.',
      go: 'Pause kind',
    },
    resumeKind: {
      title: 'Resume kind',
      about: 'Timers of this kind fire again, late ones by their policy.',
      go: 'Resume kind',
    },
    reviveTimer: { title: 'Revive', about: 'Schedules the timer for now, with all retries.', go: 'Revive' },
    reviveDead: {
      title: 'Revive all',
      about: 'Schedules dead timers of this kind and error for now, latest first.',
      go: 'Revive them',
    },
    rebuild: {
      title: 'Rebuild',
      about: 'Refills the index from the rows, while all serves.',
      go: 'Rebuild',
    },
    reconcile: {
      title: 'Reconcile',
      about: 'Compares the index with the rows, and heals what differs.',
      go: 'Reconcile',
    },
    reshard: {
      title: 'Reshard',
      about: 'Changes the number of shards, while all serves.',
      go: 'Reshard',
    },
    createJob: {
      title: 'New job',
      about: 'Reaches the players who match now. All conditions must hold.',
      go: 'Start the job',
    },
    stopJob: { title: 'Stop the job', about: 'Ends it where it is. It can be resumed.', go: 'Stop' },
    resumeJob: { title: 'Resume the job', about: 'Goes on.', go: 'Resume' },
    replaceRules: {
      title: 'Apply',
      about: 'In force at once, on every server. What is under way ends as it was ordered.',
      go: 'Apply',
    },
    rollBackRules: {
      title: 'Roll back',
      about: 'Makes this version the newest one. What is under way ends as it was ordered.',
      go: 'Roll back',
    },
  },

  /** Labels of acts' inputs, by name. */
  fields: {
    items: 'Items',
    byMs: 'By',
    into: 'Into the player',
    isNew: 'That player has no home yet',
    limit: 'At most',
    shards: 'Shards',
    each: 'What each gets',
    module: 'Has a thing of the module',
    where: 'that is so (field = value, field >= number, with commas)',
    isMissing: 'Has no such thing',
    seenFromMs: 'Last seen from',
    seenToMs: 'Last seen until',
    playerIds: 'Only these players (ids, one a line)',
    perSecond: 'Players a second',
  },

  tell: {
    dueFrom: text<{ before: string; after: string; effect: string }>(
      ({ before, after, effect }) => `Due moves from ${before} to ${after} (${effect})`,
    ),
    noEvents: 'Nothing changes: it is so already.',
    timers: text<{ count: string }>(({ count }) =>
      count === '1' ? '1 timer is scheduled for now' : `${count} timers are scheduled for now`,
    ),
    state: text<{ state: string }>(({ state }) => `State: ${state}`),
    removed: text<{ count: string; table: string }>(
      ({ count, table }) => `${count} ${count === '1' ? 'row' : 'rows'} of ${table}`,
    ),
    related: text<{ ids: string }>(({ ids }) => `Merged with these before: ${ids}`),
    becomes: text<{ from: string; to: string }>(({ from, to }) => `${from} becomes ${to}`),
    left: text<{ module: string; thing: string }>(({ module, thing }) => `${module} ${thing} is left behind`),
    aboveLimit: text<{ module: string; have: number; limit: number }>(
      ({ module, have, limit }) => `The other home then has ${have} of ${module}; its rules give ${limit} at most`,
    ),
    players: text<{ count: string }>(({ count }) => (count === '1' ? '1 player gets it' : `${count} players get it`)),
    sample: text<{ ids: string }>(({ ids }) => `Among them: ${ids}`),
    index: text<{ shards: number; generation: number }>(
      ({ shards, generation }) => `shards: ${shards}, generation ${generation}`,
    ),
    indexAsk: 'It begins at once.',
    job: text<{ done: string; total: string; state: string }>(
      ({ done, total, state }) => `${state}, ${done} of ${total} players`,
    ),
    found: text<{ missing: string; misplaced: string; ghosts: string }>(
      ({ missing, misplaced, ghosts }) =>
        `Healed: ${missing} missing, ${misplaced} at another time, ${ghosts} too many`,
    ),
    nothingFound: 'Rows and index agree.',
  },
};
