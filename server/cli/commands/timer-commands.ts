import type { Command } from 'commander';
import { timerStates } from '../../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { usageFault } from '../console/command-fault.ts';
import { type Context, durationOf, wholeOf } from '../console/context.ts';
import { instant, recurrenceLines, table, timerTable } from '../console/lines.ts';
import { explanationLines } from '../console/player-lines.ts';

interface ListOptions {
  readonly state?: (typeof timerStates)[number];
  readonly kind?: string;
  readonly owner?: string;
  readonly error?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** `kibble timers ...`, `kibble dead ...`. */
export const addTimerCommands = (program: Command, context: Context): void => {
  const timers = program.command('timers').description('timers of all kinds; those of the game’s own may be changed');
  timers
    .command('ls')
    .description('timers by state, kind and owner')
    .option('--state <state>', `one of ${timerStates.join(', ')}`, stateOf, 'scheduled')
    .option('--kind <kind>')
    .option('--owner <owner>')
    .option('--error <text>', 'exactly this last error')
    .option('--after <place>', 'where the page before ended')
    .option('--limit <count>', 'timers in a page', wholeOf, 50)
    .action(async (options: ListOptions, command: Command) => {
      const list = await context.client(command).ask('timers', {}, options);
      context.show(command, list, () => [
        ...timerTable(list.timers),
        `${list.timers.length} of ${list.count}${list.next === undefined ? '' : `; more: --after ${list.next}`}`,
      ]);
    });

  timers
    .command('show <timerId>')
    .description('a timer, and why it is due when it is')
    .action(async (timerId: string, _options, command: Command) => {
      const explained = await context.client(command).ask('explainTimer', partOf(timerId));
      const { timer, thing, audit } = explained;
      const words = await context.words(command);
      context.show(command, explained, () => [
        ...timerTable([timer]),
        ...recurrenceLines(timer),
        ...(timer.lastError === undefined ? [] : [`last error: ${timer.lastError}`]),
        ...(thing ? explanationLines(thing, words) : []),
        ...(audit.length > 0
          ? table(
              ['at', 'who', 'what', 'why'],
              audit.map(({ atMs, actor, action, reason }) => [instant(atMs), actor, action, reason]),
            )
          : []),
      ]);
    });

  timers
    .command('shift <timerId>')
    .description('move the due time')
    .requiredOption('--by <duration>', '30min later, -2h sooner', durationOf)
    .action(async (timerId: string, { by }: { by: number }, command: Command) => {
      const write = await context.write(command, `shift timer ${timerId} by ${by} ms`);
      done(context, command, await context.client(command).ask('shiftTimer', partOf(timerId), { ...write, byMs: by }));
    });
  for (const [name, route, about] of acts) {
    timers
      .command(`${name} <timerId>`)
      .description(about)
      .action(async (timerId: string, _options, command: Command) => {
        const write = await context.write(command, `${name} timer ${timerId}`);
        done(context, command, await context.client(command).ask(route, partOf(timerId), write));
      });
  }
  addDeadCommands(program, context);
  addKindCommands(program, context);
};

const acts = [
  ['fire', 'fireTimer', 'make it due now'],
  ['pause', 'pauseTimer', 'hold it back; it keeps its due time'],
  ['resume', 'resumeTimer', 'let a paused one fire when it is due, or at once'],
  ['complete', 'completeTimer', 'end it as if it had fired'],
  ['cancel', 'cancelTimer', 'cancel it'],
  ['revive', 'reviveTimer', 'schedule a dead one for now'],
] as const;

const addDeadCommands = (program: Command, context: Context): void => {
  const dead = program.command('dead').description('timers that gave up, and those that are stuck');
  dead
    .command('ls')
    .description('how many, by kind and error')
    .action(async (_options, command: Command) => {
      const { groups } = await context.client(command).ask('failed');
      context.show(command, groups, () =>
        table(
          ['state', 'kind', 'count', 'newest', 'error'],
          groups.map(({ state, kind, count, newestAtMs, error }) => [state, kind, count, instant(newestAtMs), error]),
        ),
      );
    });

  dead
    .command('revive <kind>')
    .description('schedule dead timers of a kind for now')
    .option('--error <text>', 'only those with exactly this last error')
    .option('--limit <count>', 'so many at most, the latest first (1000)', wholeOf, 100)
    .action(async (kind: string, { error, limit }: { error?: string; limit: number }, command: Command) => {
      const client = context.client(command);
      const { count } = await client.ask(
        'timers',
        {},
        { state: 'dead', kind, limit: 1, ...(error === undefined ? {} : { error }) },
      );
      const write = await context.write(command, `revive ${Math.min(count, limit)} of ${count} dead timers of ${kind}`);
      const revived = await client.ask(
        'reviveDead',
        {},
        { ...write, kind, limit, ...(error === undefined ? {} : { error }) },
      );
      context.show(command, revived, () => [
        `${revived.isDryRun ? 'would revive' : 'revived'} ${revived.answer.count}`,
      ]);
    });
};

const addKindCommands = (program: Command, context: Context): void => {
  const kinds = program.command('kinds').description('all timers of a kind, also those that come later');
  const kindActs = [
    ['pause', 'pauseKind', 'fire none of them any more, from within a second on'],
    ['resume', 'resumeKind', 'fire them again, and what came due meanwhile'],
  ] as const;
  for (const [name, route, about] of kindActs) {
    kinds
      .command(`${name} <kind>`)
      .description(about)
      .action(async (kind: string, _options, command: Command) => {
        const write = await context.write(command, `${name} all timers of ${kind}`);
        const done = await context.client(command).ask(route, { kind }, write);
        context.show(command, done, () => [
          `${done.isDryRun ? 'would be' : 'is'} ${done.answer.isPaused ? 'paused' : 'not paused'}: ${kind}`,
        ]);
      });
  }
};

const stateOf = (text: string): (typeof timerStates)[number] => {
  const state = timerStates.find((known) => known === text);
  if (state === undefined) throw usageFault(`--state is one of ${timerStates.join(', ')}`);
  return state;
};

const partOf = (timerId: string): { readonly timerId: string } => {
  if (!/^\d{1,18}$/.test(timerId)) throw usageFault(`${timerId} is no timer id`);
  return { timerId };
};

const done = (context: Context, command: Command, answered: OpsAnswers['fireTimer']): void =>
  context.show(command, answered, () => [
    ...timerTable([answered.answer]),
    `${answered.isDryRun ? 'nothing was changed' : 'done'}; commandId ${answered.commandId}`,
  ]);
