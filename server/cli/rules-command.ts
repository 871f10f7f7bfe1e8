import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Difference } from '../../shared/differences.ts';
import type { OpsRulesVersion } from '../../shared/ops/ops-rules.ts';
import { parseWorksRules } from '../../shared/works/rules-file.ts';
import { parseRulesFile } from '../settings/rules.ts';
import { addAct, type Values } from './act-command.ts';
import type { Context } from './console/context.ts';
import { table } from './console/lines.ts';
import type { OpsClient } from './console/ops-client.ts';
import { usageFault } from './console/terminal.ts';

/** `kibble rules`: the rules in force on a server, and a check of a file without a server. */
export const addRulesCommand = (program: Command, context: Context): void => {
  const rules = program.command('rules').description('rules of modules: read, check, change, take back');
  addCheck(rules, context);
  addAct(rules, context, 'rules', {
    shows: ({ answer }) => answer.modules,
    lines: (modules) => [
      ...versionTable(modules),
      ...modules.flatMap(({ module, isUnreadable, isFileWaiting }) => [
        ...(isUnreadable ? [`${module}: the server cannot read the version in force`] : []),
        ...(isFileWaiting ? [`${module}: the server was started with other rules than those in force`] : []),
      ]),
    ],
  });
  addAct(rules, context, 'rulesOf', { lines: ({ config }) => JSON.stringify(config, undefined, 2).split('\n') });
  addAct(rules, context, 'rulesHistory', { shows: ({ answer }) => answer.versions, lines: versionTable });
  for (const name of ['replaceRules', 'rollBackRules'] as const) {
    addAct(rules, context, name, {
      completes: { expectedVersion: inForce },
      lines: ({ isDryRun, answer: { version, differences } }) => [
        ...differences.map(differenceLine),
        isDryRun ? 'nothing was changed: a dry run' : `version ${version} is in force`,
      ],
    });
  }
};

const inForce = async (client: OpsClient, { module }: Values): Promise<number> =>
  (await client.ask('rulesOf', { module: String(module) }, {})).version;

const versionTable = (versions: readonly OpsRulesVersion[]): readonly string[] =>
  table(
    ['module', 'version', 'since', 'by', 'reason'],
    versions.map(({ module, version, atMs, by, reason }) => [
      ...[module, String(version), new Date(atMs).toISOString()],
      ...[by, reason],
    ]),
  );

const differenceLine = ({ path, before, after }: Difference): string =>
  `${path || 'rules'}: ${before === undefined ? '(none)' : JSON.stringify(before)} -> ${after === undefined ? '(none)' : JSON.stringify(after)}`;

/** `kibble rules check <file>`: without a server, all faults at once. */
const addCheck = (rules: Command, context: Context): void => {
  rules
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
    const read = isOfWorks ? parseWorksRules(json) : parseRulesFile(json);
    return read.ok ? [] : read.error;
  } catch (error) {
    return [`is no JSON: ${error instanceof Error ? error.message : String(error)}`];
  }
};
