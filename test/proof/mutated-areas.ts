import { spawnSync } from 'node:child_process';
import path from 'node:path';
import ts from 'typescript';
import { filesOf, luaRoom, mutatedRooms } from '../mutate/record/mutated-rooms.ts';
import { type RoomResult, readResult, scoreOf } from '../mutate/record/results.ts';
import type { Proof } from '../support/properties/prove.ts';

const root = path.resolve(import.meta.dirname, '../..');
const KILLED_PERCENT = 90;

/** The areas of row 25, by the names of their rooms. */
const areas: readonly { readonly area: string; readonly isOf: (room: string) => boolean }[] = [
  { area: 'timer', isOf: (room) => room.startsWith('server/timer/') },
  { area: 'home', isOf: (room) => room === 'shared' || room === 'server/domain' },
  { area: 'module rules', isOf: (room) => room === 'shared/pets' || room === 'shared/works' },
  { area: 'Lua', isOf: (room) => room === luaRoom.name },
];

/** Whether a file is the same at two commits, but for comments and blank lines; false when one of them is unknown here. */
type IsSame = (file: string, commit: string, later: string) => boolean;
const isSameCode: IsSame = (file, commit, later) => {
  const [before, after] = [sourceAt(commit, file), sourceAt(later, file)];
  return before !== undefined && after !== undefined && codeOf(file, before) === codeOf(file, after);
};

const sourceAt = (commit: string, file: string): string | undefined => {
  const { status, stdout } = spawnSync('git', ['show', `${commit}:${file}`], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
};

/** A source without comments and blank lines, in one format. A Lua script is left as it is. */
export const codeOf = (file: string, source: string): string =>
  file.endsWith('.ts')
    ? ts.createPrinter({ removeComments: true }).printFile(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
    : source;

interface Sources {
  readonly read?: (room: string) => RoomResult;
  readonly isSame?: IsSame;
}

/**
 * The records of `npm run mutate` for row 25: an area counts when all files of its rooms were tried with the code
 * that they had `at` a commit.
 */
export const mutationProofs = (
  at: string,
  { read = readResult, isSame = isSameCode }: Sources = {},
): readonly Proof[] =>
  areas.map(({ area, isOf }) => {
    const files = mutatedRooms
      .filter(({ name }) => isOf(name))
      .flatMap((room) => {
        const results = read(room.name);
        return filesOf(room).map((file) => ({ file, result: results[file] }));
      });
    // A file whose code was changed after its mutants were tried has not been tried.
    // A plus marks files that were changed beside the commit.
    const commit = at.replace(/\+$/, '');
    const tried = files.filter(({ file, result }) => result !== undefined && isSame(file, result.commit, commit));
    const isWhole = tried.length === files.length;
    const kept = Object.fromEntries(tried.flatMap(({ file, result }) => (result ? [[file, result] as const] : [])));
    const { percent } = scoreOf(kept);
    const said = tried.length === 0 ? 'none' : `${percent.toFixed(1)} % killed`;
    return {
      row: 25,
      of: 'of timer, home, module rules and Lua, >= 90 % killed',
      tries: isWhole && percent >= KILLED_PERCENT ? 1 : 0,
      seen: `${area}: ${tried.length} of ${files.length} files tried as they are, ${said}`,
    };
  });
