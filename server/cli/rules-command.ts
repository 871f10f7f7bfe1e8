import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseWorksRules } from '../../shared/works/rules-file.ts';
import { parseGameRules } from '../settings/rules.ts';
import type { Context } from './console/context.ts';
import { usageFault } from './console/terminal.ts';

/** `kibble rules check <file>`: without a server, all faults at once. */
export const addRulesCommand = (program: Command, context: Context): void => {
  program
    .command('rules')
    .description('files of rules')
    .command('check <file>')
    .description('whether a server takes the file: a RULES_FILE, or the rules of works alone; exit code 1 when not')
    .action((file: string, _options, command: Command) => {
      const faults = faultsOf(file);
      context.show(command, { file, faults }, () => (faults.length > 0 ? faults : [`${file} is well-formed`]));
      if (faults.length > 0) context.foundSomething();
    });
};

const faultsOf = (file: string): readonly string[] => {
  if (!existsSync(file)) throw usageFault(`${file} is not there`);
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const isOfWorks = typeof json === 'object' && json !== null && ('things' in json || 'activities' in json);
    const read = isOfWorks ? parseWorksRules(json) : parseGameRules(json);
    return read.ok ? [] : read.error;
  } catch (error) {
    return [`is no JSON: ${error instanceof Error ? error.message : String(error)}`];
  }
};
