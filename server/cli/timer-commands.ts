import type { Command } from 'commander';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { addAct } from './act-command.ts';
import type { Context } from './console/context.ts';
import { counted, instant, recurrenceLines, table, timerTable } from './console/lines.ts';
import { explanationLines } from './console/player-lines.ts';

/** `kibble timers ...`, `kibble dead ...`, `kibble kinds ...`. */
export const addTimerCommands = (program: Command, context: Context): void => {
  const timers = program.command('timers').description('timers of all kinds; those of the game’s own may be changed');
  addAct(timers, context, 'timers', {
    about: 'timers by state, kind and owner',
    lines: (list) => [
      ...timerTable(list.timers),
      `${list.timers.length} of ${counted(list.count, list.countedTo)}${list.next === undefined ? '' : `; more: --after ${list.next}`}`,
    ],
  });
  addAct(timers, context, 'explainTimer', {
    lines: async ({ timer, thing, audit }, { words }) => {
      const explained = thing ? explanationLines(thing, await words()) : [];
      const done = audit.map(({ atMs, actor, action, reason }) => [instant(atMs), actor, action, reason]);
      return [
        ...timerTable([timer]),
        ...recurrenceLines(timer),
        ...(timer.lastError === undefined ? [] : [`last error: ${timer.lastError}`]),
        ...explained,
        ...(done.length > 0 ? table(['at', 'who', 'what', 'why'], done) : []),
      ];
    },
  });
  for (const name of changes) addAct(timers, context, name, { lines: doneLines });
  addDeadCommands(program, context);
  const kinds = program.command('kinds').description('all timers of a kind, also those that come later');
  for (const name of ['pauseKind', 'resumeKind'] as const) addAct(kinds, context, name, { lines: kindLines });
};

const changes = [
  ...(['shiftTimer', 'fireTimer', 'pauseTimer', 'resumeTimer'] as const),
  ...(['completeTimer', 'cancelTimer', 'reviveTimer'] as const),
];

const doneLines = ({ answer, isDryRun, commandId }: OpsAnswers['fireTimer']): readonly string[] => [
  ...timerTable([answer]),
  `${isDryRun ? 'nothing was changed' : 'done'}; commandId ${commandId}`,
];

const kindLines = ({ isDryRun, answer: { kind, isPaused } }: OpsAnswers['pauseKind']): readonly string[] => [
  `${isDryRun ? 'would be' : 'is'} ${isPaused ? 'paused' : 'not paused'}: ${kind}`,
];

const addDeadCommands = (program: Command, context: Context): void => {
  const dead = program.command('dead').description('timers that gave up, and those that are stuck');
  addAct(dead, context, 'failed', {
    about: 'how many, by kind and error',
    shows: ({ answer: { groups } }) => groups,
    lines: (groups) =>
      table(
        ['state', 'kind', 'count', 'newest', 'error'],
        groups.map(({ state, kind, count, newestAtMs, error }) => [state, kind, count, instant(newestAtMs), error]),
      ),
  });
  addAct(dead, context, 'reviveDead', {
    facts: async (client, { kind, error, limit }) => {
      const dead = { state: 'dead', kind: String(kind), limit: 1 } as const;
      const { count } = await client.ask('timers', {}, error === undefined ? dead : { ...dead, error: String(error) });
      return { all: count, count: Math.min(count, Number(limit)) };
    },
    lines: ({ isDryRun, answer: { count } }) => [`${isDryRun ? 'would revive' : 'revived'} ${count}`],
  });
};
