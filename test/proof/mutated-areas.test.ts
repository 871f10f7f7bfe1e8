import { expect, it } from 'vitest';
import { filesOf, mutatedRooms } from '../mutate/record/mutated-rooms.ts';
import type { FileResult, RoomResult } from '../mutate/record/results.ts';
import { codeOf, mutationProofs } from './mutated-areas.ts';

const survivor = { line: 1, mutator: 'x', was: 'a', is: 'b' };
const fileResult = (change: Partial<FileResult> = {}): FileResult => ({
  ...{ madeOn: '2026-01-02', commit: 'c0ffee0', killed: 9, timeouts: 0, survivors: [survivor] },
  ...change,
});
const reading =
  (result: FileResult) =>
  (room: string): RoomResult => {
    const files = mutatedRooms.filter(({ name }) => name === room).flatMap(filesOf);
    return Object.fromEntries(files.map((file) => [file, result]));
  };
const triesOf = (result: FileResult, changed: readonly string[] = []): readonly number[] =>
  mutationProofs('HEAD', { read: reading(result), isSame: (file) => !changed.includes(file) }).map(
    ({ tries }) => tries,
  );

it('counts an area whose files were all tried as they are, with nine of ten mutants killed', () => {
  expect(triesOf(fileResult())).toEqual([1, 1, 1, 1]);
  expect(triesOf(fileResult({ killed: 8 }))).toEqual([0, 0, 0, 0]);
  expect(triesOf(fileResult({ killed: 8, timeouts: 1 }))).toEqual([1, 1, 1, 1]);
});

it('does not count a file that changed since, one that was tried at an unknown commit, or one that never was', () => {
  expect(triesOf(fileResult(), ['server/timer/wheel/wheel.ts', 'shared/home.ts'])).toEqual([0, 0, 1, 1]);
  const unknown = mutationProofs('HEAD', { read: reading(fileResult()), isSame: () => false });
  expect(unknown.map(({ tries }) => tries)).toEqual([0, 0, 0, 0]);
  expect(mutationProofs('HEAD', { read: () => ({}) }).map(({ tries, seen }) => [tries, seen])).toContainEqual([
    0,
    expect.stringMatching(/^Lua: 0 of \d+ files tried as they are, none$/),
  ]);
});

it('knows the code of a file by its text without comments and blank lines', () => {
  const code = (text: string): string => codeOf('a.ts', text);
  const plain = code("const url = 'http://x'; /* why */ let n = 1;");
  expect(code("// One.\nconst url = 'http://x'; // two\n\n/** Three. */\nlet n = 1;\n")).toBe(plain);
  expect(code("const url = 'http://y'; let n = 1;")).not.toBe(plain);
  expect(code("const url = 'http://x'; let n = 2;")).not.toBe(plain);
  expect(codeOf('a.lua', '-- one')).not.toBe(codeOf('a.lua', ''));
});
