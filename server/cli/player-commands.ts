import type { Command } from 'commander';
import { decodeJwt } from 'jose';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { addAct, askServer, type Values } from './act-command.ts';
import { type Context, wholeNumber } from './console/context.ts';
import { instant, table } from './console/lines.ts';
import type { OpsClient } from './console/ops-client.ts';
import { explanationLines, itemsText, logTable, playerLines } from './console/player-lines.ts';
import { ProgressLine } from './console/progress.ts';
import { usageFault } from './console/terminal.ts';

/** `kibble players ...`, `kibble revoke`. */
export const addPlayerCommands = (program: Command, context: Context): void => {
  const players = program.command('players').description('what players have, and what may be done to them');
  addShow(players, context);
  addAct(players, context, 'explainThing', {
    facts: async (_, { thing, run }) => {
      if (thing === undefined && run === undefined) throw usageFault('name a thing, or a run with --run');
      return {};
    },
    completes: { module: moduleOf },
    lines: async (explained, { words }) => explanationLines(explained, await words()),
  });
  addExport(players, context);
  for (const name of ['grant', 'take', 'freeze', 'unfreeze'] as const) {
    addAct(players, context, name, { lines: doneLines });
  }
  for (const name of ['shift', 'stop'] as const) {
    const module = (client: OpsClient, { playerId, thing }: Values) => moduleOf(client, { playerId, thing });
    addAct(players, context, name, { completes: { module }, lines: doneLines });
  }
  addAct(players, context, 'erase', {
    lines: ({ isDryRun, answer: { removed, related } }) => [
      `${isDryRun ? 'would remove' : 'removed'}: ${Object.entries(removed)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}`,
      ...(related.length > 0 ? [`was merged with, perhaps the same person: ${related.join(', ')}`] : []),
    ],
  });
  addMerge(players, context);
  addRevoke(program, context);
};

const doneLines = ({ answer, isDryRun, commandId }: OpsAnswers['grant']): readonly string[] => [
  `${isDryRun ? 'would be' : 'done'}: seq ${answer.seq}${answer.dueAt ? `, due ${instant(answer.dueAt)}` : ''}`,
  ...answer.events.map(({ seq, type, items }) => `  ${seq} ${type}${items ? `: ${itemsText(items)}` : ''}`),
  `commandId ${commandId}`,
];

const addShow = (players: Command, context: Context): void => {
  players
    .command('show <playerId>')
    .description('the home as the rows have it now, and the newest entries of the log')
    .option('--log <count>', 'entries of the log', wholeNumber, 10)
    .action(async (playerId: string, { log }: { log: number }, command: Command) => {
      const home = await askServer(context, command, { name: 'player', values: { playerId } });
      const { entries } =
        log > 0
          ? await askServer(context, command, { name: 'log', values: { playerId, limit: log } })
          : { entries: [] };
      await context.show(command, { ...home, log: entries }, async () => {
        const words = await context.words(command);
        return [...playerLines(home, words), ...logTable(entries, words)];
      });
    });
};

const addExport = (players: Command, context: Context): void => {
  players
    .command('export <playerId>')
    .description('all data of the player as JSON')
    .action(async (playerId: string, _options, command: Command) => {
      const progress = new ProgressLine(context.terminal, 'export');
      const data = await askServer(context, command, { name: 'exportPlayer', values: { playerId } });
      const { events } = data;
      const count = Array.isArray(events) ? events.length : 0;
      progress.end(count, count, 'events');
      context.terminal.say(JSON.stringify(data, undefined, context.isJson(command) ? undefined : 2));
    });
};

const addMerge = (players: Command, context: Context): void => {
  addAct(players, context, 'merge', {
    lines: ({ isDryRun, answer: { moved, left, aboveLimit } }, { options: { into } }) => [
      ...table(
        ['module', 'thing', 'becomes'],
        [
          ...moved.map(({ module, thing, becomes }) => [module, thing, becomes]),
          ...left.map(({ module, thing }) => [
            module,
            thing,
            'LEFT BEHIND: its id is in use there, or its module is retired',
          ]),
        ],
      ),
      ...aboveLimit.map(({ module, have, limit }) => `${into} has ${have} of ${module} now, and may get ${limit}`),
      isDryRun ? 'nothing was changed' : 'merged',
    ],
  });
};

/** Throws a fault of use if no thing of the player fits, or things of several modules do. */
const moduleOf = async (client: OpsClient, { playerId, thing, run }: Values): Promise<string> => {
  const name = thing ?? run;
  const { things } = await client.ask('player', { playerId: String(playerId) });
  const found = new Set(things.filter((one) => one.id === thing || one.run === run).map(({ module }) => module));
  const [one, ...others] = found;
  if (one === undefined) throw usageFault(`${playerId} has no ${name}; of one that is gone name the --module`);
  if (others.length > 0) throw usageFault(`${[...found].join(' and ')} have a ${name}: name the --module`);
  return one;
};

interface Which {
  readonly jwt?: string;
  readonly player?: string;
}

/** `kibble revoke`. Only the token's id is sent, never the token. */
const addRevoke = (program: Command, context: Context): void => {
  program
    .command('revoke')
    .description('end a player’s tokens before their time, or one; who is connected with it is let go')
    .option('--jwt <token>', 'one token: itself, or its jti')
    .option('--player <playerId>', 'all tokens of the player that were issued until now')
    .action(async ({ jwt, player: playerId }: Which, command: Command) => {
      if ((jwt === undefined) === (playerId === undefined)) {
        throw usageFault('revoke needs --jwt or --player, one of them');
      }
      const revoked = await (playerId === undefined
        ? askServer(context, command, { name: 'revokeToken', values: tokenOf(jwt ?? '') })
        : askServer(context, command, { name: 'revokeTokens', values: { playerId } }));
      const { answer, isDryRun } = revoked;
      await context.show(command, revoked, () => [
        `${isDryRun ? 'would be revoked' : 'revoked'}: ${instant(answer.revokedAtMs)}`,
      ]);
    });
};

/** The signature is not checked: an id that no token has revokes nothing. */
const tokenOf = (jwt: string): { readonly tokenId: string; readonly endsAtMs?: number } => {
  if (jwt.split('.').length !== 3) return { tokenId: jwt };
  const { jti, sub, exp } = claimsOf(jwt);
  if (typeof jti !== 'string') {
    throw usageFault(`this token has no id (jti): revoke all of its player, --player ${sub ?? ''}`);
  }
  return { tokenId: jti, ...(Number.isInteger(exp) ? { endsAtMs: Number(exp) * 1_000 } : {}) };
};

const claimsOf = (jwt: string): ReturnType<typeof decodeJwt> => {
  try {
    return decodeJwt(jwt);
  } catch {
    throw usageFault('--jwt is neither a token nor the id of one');
  }
};
