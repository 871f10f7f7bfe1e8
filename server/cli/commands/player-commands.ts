import type { Command } from 'commander';
import { isPlayerId } from '../../../shared/ids.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { usageFault } from '../console/command-fault.ts';
import { type Context, durationOf, itemsOf, wholeOf } from '../console/context.ts';
import { instant, table } from '../console/lines.ts';
import type { OpsClient } from '../console/ops-client.ts';
import { explanationLines, itemsText, logTable, playerLines } from '../console/player-lines.ts';
import { ProgressLine } from '../console/progress.ts';

/** `kibble players ...`, `kibble search`. */
export const addPlayerCommands = (program: Command, context: Context): void => {
  program
    .command('search <text>')
    .description('find players, things and timers by id, its beginning, or a title')
    .action(async (q: string, _options, command: Command) => {
      const { hits } = await context.client(command).ask('search', {}, { q });
      context.show(command, hits, () =>
        table(
          ['type', 'module', 'id', 'player', 'label'],
          hits.map(({ type, module, id, playerId, label }) => [type, module, id, playerId, label]),
        ),
      );
    });

  const players = program.command('players').description('what players have, and what may be done to them');
  addPlayerReads(players, context);
  addItemCommands(players, context);
  addThingCommands(players, context);
  addFinalCommands(players, context);
};

const addPlayerReads = (players: Command, context: Context): void => {
  players
    .command('show <playerId>')
    .description('the home as the rows have it now, and the newest entries of the log')
    .option('--log <count>', 'entries of the log', wholeOf, 10)
    .action(async (playerId: string, { log }: { log: number }, command: Command) => {
      const client = context.client(command);
      const part = partOf(playerId);
      const home = await client.ask('player', part);
      const { entries } = log > 0 ? await client.ask('log', part, { limit: log }) : { entries: [] };
      const words = await context.words(command);
      context.show(command, { ...home, log: entries }, () => [
        ...playerLines(home, words),
        ...logTable(entries, words),
      ]);
    });

  players
    .command('explain <playerId> [thing]')
    .description('why a thing is due when it is: the entries of the log and what each did')
    .option('--module <name>', 'of the thing, where several have such a one, or it is gone')
    .option('--run <run>', 'a run that has ended, as a timer names it')
    .action(async (playerId: string, thing: string | undefined, options: OnThing, command: Command) => {
      const client = context.client(command);
      const part = partOf(playerId);
      const { module, run } = options;
      if (thing === undefined && run === undefined) throw usageFault('name a thing, or a run with --run');
      const named = module ?? (await moduleOf(client, part, { thing, run }));
      const input = { module: named, ...(thing === undefined ? {} : { thing }), ...(run === undefined ? {} : { run }) };
      const explained = await client.ask('explainThing', part, input);
      const words = await context.words(command);
      context.show(command, explained, () => explanationLines(explained, words));
    });

  players
    .command('export <playerId>')
    .description('all data of the player as JSON')
    .action(async (playerId: string, _options, command: Command) => {
      const progress = new ProgressLine(context.terminal, 'export');
      const data = await context.client(command).ask('exportPlayer', partOf(playerId));
      const { events } = data;
      const count = Array.isArray(events) ? events.length : 0;
      progress.end(count, count, 'events');
      context.terminal.say(JSON.stringify(data, undefined, context.isJson(command) ? undefined : 2));
    });
};

const addItemCommands = (players: Command, context: Context): void => {
  for (const act of ['grant', 'take'] as const) {
    players
      .command(`${act} <playerId>`)
      .description(act === 'grant' ? 'give items' : 'take items')
      .requiredOption('--items <list>', 'name=count,name=count', itemsOf)
      .action(async (playerId: string, { items }: { items: Record<string, number> }, command: Command) => {
        const what = `${act} ${JSON.stringify(items)} ${act === 'grant' ? 'to' : 'from'} ${playerId}`;
        const write = await context.write(command, what);
        done(context, command, await context.client(command).ask(act, partOf(playerId), { ...write, items }));
      });
  }
  for (const act of ['freeze', 'unfreeze'] as const) {
    players
      .command(`${act} <playerId>`)
      .description(
        act === 'freeze' ? 'refuse all commands of the player; what is under way goes on' : 'accept commands again',
      )
      .action(async (playerId: string, _options, command: Command) => {
        const write = await context.write(command, `${act} ${playerId}`);
        done(context, command, await context.client(command).ask(act, partOf(playerId), write));
      });
  }
};

interface OnThing {
  readonly module?: string;
  readonly run?: string;
}

const addThingCommands = (players: Command, context: Context): void => {
  players
    .command('shift <playerId> <thing>')
    .description('move the due time of a thing; before now it completes now')
    .option('--module <name>', 'of the thing, where several have such a one')
    .option('--run <run>', 'only if the thing is at it')
    .requiredOption('--by <duration>', '30min later, -2h sooner', durationOf)
    .action(async (playerId: string, thing: string, options: OnThing & { by: number }, command: Command) => {
      const { by, ...on } = options;
      const write = await context.write(command, `shift ${thing} of ${playerId} by ${by} ms`);
      const client = context.client(command);
      const input = { ...write, ...(await onThing(client, partOf(playerId), { thing, ...on })), byMs: by };
      done(context, command, await client.ask('shift', partOf(playerId), input));
    });

  players
    .command('stop <playerId> <thing>')
    .description('stop what a thing does')
    .option('--module <name>', 'of the thing, where several have such a one')
    .option('--run <run>', 'only if the thing is at it')
    .action(async (playerId: string, thing: string, options: OnThing, command: Command) => {
      const write = await context.write(command, `stop ${thing} of ${playerId}`);
      const client = context.client(command);
      const input = { ...write, ...(await onThing(client, partOf(playerId), { thing, ...options })) };
      done(context, command, await client.ask('stop', partOf(playerId), input));
    });
};

const addFinalCommands = (players: Command, context: Context): void => {
  players
    .command('erase <playerId>')
    .description('remove everything of the player; cannot be taken back')
    .action(async (playerId: string, _options, command: Command) => {
      const part = partOf(playerId);
      const write = await context.write(command, `erase ${playerId} for good`, true);
      const erased = await context.client(command).ask('erase', part, write);
      const { removed, related } = erased.answer;
      context.show(command, erased, () => [
        `${erased.isDryRun ? 'would remove' : 'removed'}: ${Object.entries(removed)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')}`,
        ...(related.length > 0 ? [`was merged with, perhaps the same person: ${related.join(', ')}`] : []),
      ]);
    });

  players
    .command('merge <guestId>')
    .description('move all things and items to another player; cannot be taken back')
    .requiredOption('--into <playerId>', 'who gets them')
    .option('--new', 'that player may be one without a home yet')
    .action(async (guestId: string, { into, new: isNew }: { into: string; new?: true }, command: Command) => {
      const part = partOf(guestId);
      const write = await context.write(command, `merge ${guestId} into ${into} for good`, true);
      const input = { ...write, into, ...(isNew ? { isNew } : {}) };
      const merged = await context.client(command).ask('merge', part, input);
      const { moved, left, aboveLimit } = merged.answer;
      context.show(command, merged, () => [
        ...table(
          ['module', 'thing', 'becomes'],
          [
            ...moved.map(({ module, thing, becomes }) => [module, thing, becomes]),
            ...left.map(({ module, thing }) => [module, thing, 'LEFT BEHIND: such a one is there already']),
          ],
        ),
        ...aboveLimit.map(({ module, have, limit }) => `${into} has ${have} of ${module} now, and may get ${limit}`),
        merged.isDryRun ? 'nothing was changed' : 'merged',
      ]);
    });
};

/** What is meant, with its module: the one that has such a thing, unless it was said. */
const onThing = async (
  client: OpsClient,
  part: { readonly playerId: string },
  { thing, module, run }: OnThing & { readonly thing: string },
) => ({
  thing,
  module: module ?? (await moduleOf(client, part, { thing, run: undefined })),
  ...(run === undefined ? {} : { run }),
});

/** Throws a fault of use where none of the player's things is meant, or things of several modules are. */
const moduleOf = async (
  client: OpsClient,
  part: { readonly playerId: string },
  meant: { readonly thing: string | undefined; readonly run: string | undefined },
): Promise<string> => {
  const { things } = await client.ask('player', part);
  const found = new Set(
    things.filter(({ id, run }) => id === meant.thing || run === meant.run).map(({ module }) => module),
  );
  const [one, ...others] = found;
  const name = meant.thing ?? meant.run;
  if (one === undefined) throw usageFault(`${part.playerId} has no ${name}; of one that is gone name the --module`);
  if (others.length > 0) throw usageFault(`${[...found].join(' and ')} have a ${name}: name the --module`);
  return one;
};

const partOf = (playerId: string): { readonly playerId: string } => {
  if (!isPlayerId(playerId)) throw usageFault(`${playerId} is no player id`);
  return { playerId };
};

const done = (context: Context, command: Command, answered: OpsAnswers['grant']): void => {
  const { answer, isDryRun, commandId } = answered;
  context.show(command, answered, () => [
    `${isDryRun ? 'would be' : 'done'}: seq ${answer.seq}${answer.dueAt ? `, due ${instant(answer.dueAt)}` : ''}`,
    ...answer.events.map(({ seq, type, items }) => `  ${seq} ${type}${items ? `: ${itemsText(items)}` : ''}`),
    `commandId ${commandId}`,
  ]);
};
