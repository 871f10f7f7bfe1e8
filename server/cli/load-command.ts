import type { Command } from 'commander';
import type { LoadFlags } from '../../load/load.ts';
import { type Context, durationOf, wholeNumber } from './console/context.ts';
import { usageFault } from './console/terminal.ts';

/** `kibble load`. */
export const addLoadCommand = (program: Command, context: Context): void => {
  program
    .command('load')
    .description('let guests play over real sockets, and measure; exit code 1 when not all was sent and replied to')
    .option('--players <count>', 'on one connection each', playersOf, 100)
    .option('--rate <perSecond>', 'commands of all players together', rateOf)
    .option('--rate-per-player <perSecond>', 'commands of each player (default: 0.5)', rateOf)
    .option('--duration <duration>', 'after the ramp-up', durationOf, durationOf('30s'))
    .option('--ramp-up <duration>', 'players join and the rate grows', durationOf, durationOf('5s'))
    .option('--seed <number>', 'another one, other commands', wholeNumber, 1)
    .option('--rules <file>', 'the RULES_FILE of a server that does not tell its rules')
    .action(async (flags: LoadFlags, command: Command) => {
      // Loaded on demand: other commands and the server's image do not need it.
      const { load } = await import('../../load/load.ts');
      await load({ url: context.url(command), ...flags }, command, context);
    });
};

const rateOf = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw usageFault(`${text} is no rate: it is a number above 0`);
  return value;
};

const playersOf = (text: string): number => {
  const count = wholeNumber(text);
  if (count === 0) throw usageFault('--players is 1 or more');
  return count;
};
