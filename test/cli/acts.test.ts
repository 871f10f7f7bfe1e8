import { expect, it } from 'vitest';
import { z } from 'zod';
import { runProgram } from '../../server/cli/program.ts';
import { opsParts, opsSchemas } from '../../server/http/ops-schemas.ts';
import type { OpsAct } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';

/** The help of a command; without words that of the program. */
const helpOf = async (words: readonly string[]): Promise<string> => {
  const lines: string[] = [];
  const absent = (): never => {
    throw new Error('no command runs here');
  };
  const code = await runProgram([...words, '--help'], {
    terminal: {
      ...{ say: (line) => lines.push(line), note: absent, rewrite: absent, ask: absent, pause: absent },
      ...{ monotonicMs: absent, uniqueName: absent, isForReader: false, canAsk: false },
      signal: new AbortController().signal,
    },
    ...{ defaults: absent, openDatabase: absent, startDevDatabase: absent, version: '0.0.0', explain: String },
  });
  expect(code).toBe(0);
  return lines.join('\n');
};

/** The help of a command, then that of each command below it. */
const helpsBelow = async (words: readonly string[]): Promise<readonly string[]> => {
  const help = await helpOf(words);
  const [, commands = ''] = help.split('\nCommands:\n');
  const names = [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].flatMap(([, name]) =>
    name === undefined || name === 'help' ? [] : name,
  );
  const below = await Promise.all(names.map((name) => helpsBelow([...words, name])));
  return [`$ ${['kibble', ...words].join(' ')} --help\n${help}`, ...below.flat()];
};

/** As JSON Schema has it: how the value is sent. */
const sent = (schema: z.ZodType): object => {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' });
  return shape;
};

const routeOf = ([name, act]: [OpsRouteName, OpsAct]): string => {
  const { properties = {}, required = [] } = sent(opsSchemas[name]) as z.core.JSONSchema.JSONSchema;
  const inputs = Object.entries(act.input).map(([field, { flag: _, about: __, preset: ___, isOptional, ...kind }]) => {
    expect(required.includes(field)).toBe(!isOptional);
    return `    ${field}${isOptional ? '?' : ''}: ${Object.values(kind).join(' ')} ${JSON.stringify(properties[field])}`;
  });
  const more = [
    ...(act.needsOne ? [`needs one of: ${act.needsOne.join(', ')}`] : []),
    ...(act.cli ? [`command: kibble ${act.cli}`] : []),
    ...(act.asks ? [`asks: ${act.asks}?`] : []),
    ...(act.risk ? [`risk: ${act.risk}`] : []),
  ];
  return [`${act.method} ${act.path} (${act.role}) ${act.about}`, ...more.map((line) => `    ${line}`), ...inputs].join(
    '\n',
  );
};

/** After a change that is meant: `vitest run test/cli/acts -u`, and a look at the difference. */
it('what operators see is as recorded: commands, routes and inputs', async () => {
  const parts = Object.entries(opsParts).map(([part, schema]) => `:${part} ${JSON.stringify(sent(schema))}`);
  const routes = (Object.entries(opsActs) as [OpsRouteName, OpsAct][]).map(routeOf);
  const all = [parts.join('\n'), ...routes, ...(await helpsBelow([]))];
  await expect(`${all.join('\n\n')}\n`).toMatchFileSnapshot('acts.txt');
});
