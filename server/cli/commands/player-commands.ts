import type { Command } from 'commander';
import { isPlayerId } from '../../../shared/ids.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { usageFault } from '../console/command-fault.ts';
import { type Context, durationOf, itemsOf, wholeOf } from '../console/context.ts';
import { explanationLines, instant, playerLines, table } from '../console/lines.ts';
import { ProgressLine } from '../console/progress.ts';

/** `kibble players ...`, `kibble search`. */
export const addPlayerCommands = (program: Command, context: Context): void => {
  program
    .command('search <text>')
    .description('find players, pets, feedings and timers by id, its beginning, or a name')
    .action(async (q: string, _options, command: Command) => {
      const { hits } = await context.client(command).ask('search', {}, { q });
      context.show(command, hits, () =>
        table(
          ['type', 'id', 'player', 'label'],
          hits.map(({ type, id, playerId, label }) => [type, id, playerId, label]),
        ),
      );
    });

  const players = program.command('players').description('what players have, and what may be done to them');
  addPlayerReads(players, context);
  addItemCommands(players, context);
  addFeedingCommands(players, context);
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
      const { entries } = log > 0 ? await client.ask('log', part, { limit: `${log}` }) : { entries: [] };
      context.show(command, { ...home, log: entries }, () => [
        ...playerLines(home),
        ...table(
          ['seq', 'at', 'event', 'by'],
          entries.map(({ event, actor }) => [event.seq, instant(event.at), event.type, actor]),
        ),
      ]);
    });

  players
    .command('explain <feedingId>')
    .description('why a feeding is due when it is: the entries of the log and what each did')
    .action(async (feedingId: string, _options, command: Command) => {
      const explained = await context.client(command).ask('explainFeeding', { feedingId });
      context.show(command, explained, () => explanationLines(explained));
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
      .description(act === 'freeze' ? 'refuse all commands of the player; feedings go on' : 'accept commands again')
      .action(async (playerId: string, _options, command: Command) => {
        const write = await context.write(command, `${act} ${playerId}`);
        done(context, command, await context.client(command).ask(act, partOf(playerId), write));
      });
  }
};

interface OnPet {
  readonly pet: string;
  readonly feeding?: string;
}

const addFeedingCommands = (players: Command, context: Context): void => {
  players
    .command('shift <playerId>')
    .description('move the due time of a feeding; before now it completes now')
    .requiredOption('--pet <petId>', 'whose feeding')
    .option('--feeding <feedingId>', 'only if the pet eats this')
    .requiredOption('--by <duration>', '30min later, -2h sooner', durationOf)
    .action(async (playerId: string, { pet, feeding, by }: OnPet & { by: number }, command: Command) => {
      const write = await context.write(command, `shift the feeding of ${pet} by ${by} ms`);
      const input = { ...write, ...onPet({ pet, ...(feeding ? { feeding } : {}) }), byMs: by };
      done(context, command, await context.client(command).ask('shift', partOf(playerId), input));
    });

  players
    .command('stop <playerId>')
    .description('stop a feeding')
    .requiredOption('--pet <petId>', 'whose feeding')
    .option('--feeding <feedingId>', 'only if the pet eats this')
    .action(async (playerId: string, options: OnPet, command: Command) => {
      const write = await context.write(command, `stop the feeding of ${options.pet}`);
      const input = { ...write, ...onPet(options) };
      done(context, command, await context.client(command).ask('stop', partOf(playerId), input));
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
    .description('move all pets and items to another player; cannot be taken back')
    .requiredOption('--into <playerId>', 'who gets them')
    .option('--new', 'that player may be one without a home yet')
    .action(async (guestId: string, { into, new: isNew }: { into: string; new?: true }, command: Command) => {
      const part = partOf(guestId);
      const write = await context.write(command, `merge ${guestId} into ${into} for good`, true);
      const input = { ...write, into, ...(isNew ? { isNew } : {}) };
      const merged = await context.client(command).ask('merge', part, input);
      context.show(command, merged, () => [
        ...table(['pet', 'becomes'], Object.entries(merged.answer.pets)),
        ...(merged.answer.isAboveLimit ? [`${into} has more pets than the limit now, and cannot adopt`] : []),
        merged.isDryRun ? 'nothing was changed' : 'merged',
      ]);
    });
};

const onPet = ({ pet, feeding }: OnPet) => ({ petId: pet, ...(feeding === undefined ? {} : { feedingId: feeding }) });

const partOf = (playerId: string): { readonly playerId: string } => {
  if (!isPlayerId(playerId)) throw usageFault(`${playerId} is no player id`);
  return { playerId };
};

const done = (context: Context, command: Command, answered: OpsAnswers['grant']): void => {
  const { answer, isDryRun, commandId } = answered;
  context.show(command, answered, () => [
    `${isDryRun ? 'would be' : 'done'}: seq ${answer.seq}${answer.dueAt ? `, due ${instant(answer.dueAt)}` : ''}`,
    ...answer.events.map((event) => `  ${event.seq} ${event.type}`),
    `commandId ${commandId}`,
  ]);
};
