import { type Table, text } from './text.ts';

/** The words of a player’s page: the home, the log, and the explanation of due times. */
export const enPlayer = {
  player: {
    title: 'Player',
    frozen: text<{ since: string }>(
      ({ since }) => `Frozen since ${since}: all commands are refused, what is under way goes on.`,
    ),
    tabs: { home: 'Home', log: 'Log', timers: 'Timers', audit: 'Audit' },
    seq: 'Log entries',
    epoch: 'Epoch',
    lastAt: 'Newest entry',
    overdue: 'Overdue',
    items: 'Items',
    noItems: 'No items.',
    things: 'Things',
    noThings: 'Nothing yet.',
    state: 'As it is stored',
    due: 'Due',
    isOverdue: 'overdue',
    overdueHint: 'Due; the next process that looks completes it.',
    rests: 'not due',
    waits: 'waits since',
    boost: text<{ rate: number; until: string }>(({ rate, until }) => `${rate}× until ${until}`),
    actions: 'Actions',
    readOnly: text<{ role: string; needs: string }>(
      ({ role, needs }) => `Your role, ${role}, looks on. To act here takes ${needs}.`,
    ),
    why: 'Why then?',
    whyOf: text<{ name: string }>(({ name }) => `Why then? ${name}`),
    others: text<{ acts: string; role: string }>(({ acts, role }) => `${acts}: for the role ${role}`),
  },

  log: {
    title: 'Log',
    hint: 'Newest first',
    byOperator: text<{ name: string }>(({ name }) => `operator ${name}`),
    written: 'written',
    older: 'Older',
    newest: 'Newest',
    empty: 'The log is empty.',
    /** Words for the engine’s own events, in the form of modules' words. */
    events: {
      'items-granted': 'items: {items}[reason?: “{reason}”]',
      'player-frozen': 'frozen: “{reason}”',
      'player-unfrozen': 'unfrozen: “{reason}”',
      'home-merged': 'everything moved to {into}: “{reason}”',
      'home-received': 'received the home of {from}: “{reason}”',
      'module-opened': 'got what one begins with in {module}[items?: {items}]',
      'thing-arrived': '{thing} arrived by a merge ({module})',
    } as Table,
  },

  why: {
    title: 'Why is it due then?',
    of: text<{ name: string; state: string }>(({ name, state }) => `${name}: ${state}`),
    states: {
      running: 'until a due time',
      waiting: 'waiting',
      completed: 'completed',
      stopped: 'stopped',
      resting: 'nothing under way',
    },
    due: 'Due',
    ended: 'Ended',
    waits: 'Waits since',
    neverDue: 'It was never due.',
    overdue: 'overdue',
    agrees: 'The log and the timer’s row agree.',
    noTimer: 'It is not due, and there is no timer.',
    differs: text<{ log: string; row: string }>(
      ({ log, row }) => `The log says ${log}, the timer’s row ${row}. Run kibble verify.`,
    ),
    cut: 'Old entries were folded into a checkpoint: the steps begin there.',
    step: 'What happened',
    unchanged: 'unchanged',
    total: text<{ effect: string }>(({ effect }) => `Everything since the start: ${effect}`),
    kept: text<{ thing: string }>(({ thing }) => `Checkpoint of the log: ${thing}`),
  },
};
