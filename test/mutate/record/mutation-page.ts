import path from 'node:path';
import { mutatedRooms } from './mutated-rooms.ts';
import { type RoomResult, readResult, scoreOf } from './results.ts';

/** `docs/record/mutation.md`, from what the runs recorded. */
export const mutationPage = (): string => {
  const rooms = mutatedRooms.map(({ name }) => ({ name, result: readResult(name) }));
  const tried = rooms.filter(({ result }) => Object.keys(result).length > 0);
  const untried = rooms.filter((room) => !tried.includes(room)).map(({ name }) => `\`${name}\``);
  return [
    intro,
    '| room | files | mutants | failed a test | hung | survived | noticed | made |',
    '|---|---:|---:|---:|---:|---:|---:|---|',
    ...tried.map(({ name, result }) => rowOf(name, result)),
    '',
    ...(untried.length > 0 ? [`Not tried yet: ${untried.join(', ')}.`, ''] : []),
    '## What survives',
    '',
    ...tried.flatMap(({ name, result }) => survivorsOf(name, result)),
  ].join('\n');
};

const intro = `# Mutation

Written by \`npm run docs\` from what \`npm run mutate\` recorded. A mutant is the source with one small change: \`<\` for
\`<=\`, a call left out, a condition that always holds. The tests are run on each; a mutant that none of them notices shows
what no test holds. Rooms in TypeScript are changed by StrykerJS, the Lua scripts by a small program of our own.

Only quick tests are run: pure ones, those on a clock moved by hand, and some on one real Postgres or Redis. Properties
are tried 20 times with their fixed seed. Left out: the wording of log lines and of faults, constants of a module,
and the numbers in \`probe.lua\`, which asks only whether a command is allowed.
What needs a real Postgres to be proven (its adapters, \`server/home\`), many processes, or a browser is not tried here.
`;

const rowOf = (name: string, result: RoomResult): string => {
  const { killed, timeouts, survived, percent } = scoreOf(result);
  const made = [...new Set(Object.values(result).map(({ madeOn, commit }) => `${madeOn} at ${commit}`))].toSorted();
  const cells = [Object.keys(result).length, killed + timeouts + survived, killed, timeouts, survived];
  return `| \`${name}\` | ${cells.join(' | ')} | ${percent.toFixed(1)} % | ${made[0]} |`;
};

const survivorsOf = (name: string, result: RoomResult): readonly string[] => {
  const rows = Object.entries(result).flatMap(([file, { survivors }]) =>
    survivors.map((survivor) => {
      const why = survivor.why ?? (survivor.isReached === false ? 'no quick test runs it' : '');
      return `| \`${path.posix.basename(file)}:${survivor.line}\` | ${code(survivor.was)} | ${code(survivor.is)} | ${why} |`;
    }),
  );
  if (rows.length === 0) return [];
  return [`### ${name}`, '', '| where | source | mutant | why |', '|---|---|---|---|', ...rows, ''];
};

/** Between more backticks than the text has in a row. */
const code = (text: string): string => {
  const longest = Math.max(1, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${text.replaceAll('|', '\\|')} ${fence}`;
};
