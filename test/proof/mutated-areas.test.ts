import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutatedRooms } from '../mutate/record/mutated-rooms.ts';
import type { FileResult, RoomResult } from '../mutate/record/results.ts';
import { mutationProofs } from './mutated-areas.ts';

const survivor = { line: 1, mutator: 'x', was: 'a', is: 'b' };
const fileResult = (change: Partial<FileResult> = {}): FileResult => ({
  ...{ madeOn: '2026-01-02', commit: 'c0ffee0', killed: 9, timeouts: 0, survivors: [survivor] },
  ...change,
});
const reading =
  (result: FileResult) =>
  (room: string): RoomResult => {
    const files = mutatedRooms.find(({ name }) => name === room)?.files.flatMap((glob) => globSync(glob)) ?? [];
    return Object.fromEntries(files.map((file) => [file, result]));
  };
const triesOf = (result: FileResult, changed: readonly string[] = []): readonly number[] =>
  mutationProofs('HEAD', { read: reading(result), changed: () => new Set(changed) }).map(({ tries }) => tries);

it('counts an area whose files were all tried as they are, with nine of ten mutants killed', () => {
  expect(triesOf(fileResult())).toEqual([1, 1, 1, 1]);
  expect(triesOf(fileResult({ killed: 8 }))).toEqual([0, 0, 0, 0]);
  expect(triesOf(fileResult({ killed: 8, timeouts: 1 }))).toEqual([1, 1, 1, 1]);
});

it('does not count a file that changed since, one that was tried at an unknown commit, or one that never was', () => {
  expect(triesOf(fileResult(), ['server/timer/wheel/wheel.ts', 'shared/home.ts'])).toEqual([0, 0, 1, 1]);
  const unknown = mutationProofs('HEAD', { read: reading(fileResult()), changed: () => undefined });
  expect(unknown.map(({ tries }) => tries)).toEqual([0, 0, 0, 0]);
  expect(mutationProofs('HEAD', { read: () => ({}) }).map(({ tries, seen }) => [tries, seen])).toContainEqual([
    0,
    expect.stringMatching(/^Lua: 0 of \d+ files tried as they are, none$/),
  ]);
});
