import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { luaRoom, mutatedRooms } from '../mutate/record/mutated-rooms.ts';
import { type FileResult, type RoomResult, readResult, scoreOf } from '../mutate/record/results.ts';
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

/** The files that changed between two commits; undefined when one of these is unknown here. */
type Changed = (commit: string, later: string) => ReadonlySet<string> | undefined;
const changedBetween: Changed = (commit, later) => {
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', commit, later], { cwd: root, encoding: 'utf8' });
  return status === 0 ? new Set(stdout.split('\n')) : undefined;
};

/** A file that was changed after its mutants were tried has not been tried. */
const asTried = (at: string, changed: Changed): ((file: string, result: FileResult | undefined) => boolean) => {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  return (file, result) => {
    if (result === undefined) return false;
    if (!known.has(result.commit)) known.set(result.commit, changed(result.commit, at));
    return known.get(result.commit)?.has(file) === false;
  };
};

interface Sources {
  readonly read?: (room: string) => RoomResult;
  readonly changed?: Changed;
}

/**
 * The records of `npm run mutate` for row 25: an area counts when all files of its rooms were tried as they were `at` a
 * commit.
 */
export const mutationProofs = (
  at: string,
  { read = readResult, changed = changedBetween }: Sources = {},
): readonly Proof[] => {
  const isAsTried = asTried(at, changed);
  return areas.map(({ area, isOf }) => {
    const rooms = mutatedRooms
      .filter(({ name }) => isOf(name))
      .map(({ name, files }) => ({
        files: files.flatMap((glob) => globSync(glob, { cwd: root })),
        result: read(name),
      }));
    const files = rooms.flatMap((room) => room.files.map((file) => ({ file, result: room.result[file] })));
    const tried = files.filter(({ file, result }) => isAsTried(file, result));
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
};
