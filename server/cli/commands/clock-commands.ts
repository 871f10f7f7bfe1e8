import type { Command } from 'commander';
import type { OpsClock } from '../../../shared/ops/ops-answers.ts';
import type { Context } from '../console/context.ts';
import { instant, lasting } from '../console/lines.ts';

/** `kibble clock`, `kibble clock accept`. */
export const addClockCommands = (program: Command, context: Context): void => {
  const clock = program
    .command('clock')
    .description('whether the database’s clock is trusted; exit code 1 while time is held')
    .action(async (_options, command: Command) => {
      const state = await context.client(command).ask('clock');
      context.show(command, state, () => [lineOf(state)]);
      if (state.isHeld) context.foundSomething();
    });

  clock
    .command('accept')
    .description('the database’s clock is right as it stands: all processes follow it; cannot be taken back')
    .action(async (_options, command: Command) => {
      const client = context.client(command);
      const write = await context.write(command, `follow the clock (${lineOf(await client.ask('clock'))})`, true);
      const accepted = await client.ask('acceptClock', {}, write);
      const { before, after } = accepted.answer;
      context.show(command, accepted, () => [`before: ${lineOf(before)}`, `now: ${lineOf(after)}`]);
    });
};

const lineOf = (state: OpsClock): string => {
  if (!state.isHeld) return 'the database’s clock is trusted';
  const { byMs, direction, sinceMs } = state;
  const off = `${lasting(Math.abs(byMs))} ${direction === 'ahead' ? 'ahead of' : 'behind'}`;
  return `time has been held since ${instant(sinceMs)}: the database’s clock is ${off} it`;
};
