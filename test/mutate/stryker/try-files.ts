import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import type { MutatedRoom } from '../record/mutated-rooms.ts';
import { type FileResult, type RoomResult, resultNow, type Survivor } from '../record/results.ts';

const root = path.join(import.meta.dirname, '../../..');
const cache = 'node_modules/.cache/kibble/mutate';

type Tried = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Tries every mutant of some files of a room, one after the other. */
export const tryFiles = async (room: MutatedRoom, files: readonly string[]): Promise<RoomResult> => {
  // Both the tests' settings and the tests read them, in processes of Stryker's. Twenty cases of a law notice nearly what
  // a hundred do, in a fifth of the time.
  Object.assign(process.env, { KIBBLE_MUTATED_ROOM: room.name, PROPERTY_RUNS: '20' });
  const tried = await new Stryker({
    mutate: [...files],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './test/mutate/stryker/words.ts'],
    ignorers: ['words'],
    vitest: { configFile: 'test/mutate/stryker/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // A constant of a module would need every test of the room in a process of its own.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: path.join(cache, `${room.name.replaceAll('/', '-')}.json`),
    tempDirName: path.join(cache, 'sandbox'),
    ignorePatterns: [
      '/bench',
      '/docs/{adr,api,images,screenshots}',
      '/client',
      '/ops',
      '/.kibble',
      '/test/{browser,e2e}',
    ],
    concurrency: 1,
    // Added to one and a half times what the tests take without a mutant.
    timeoutMS: 30_000,
    reporters: ['progress-append-only'],
  }).runMutationTest();
  const byFile = Map.groupBy(tried, ({ fileName }) => path.relative(root, fileName).replaceAll(path.sep, '/'));
  // Of types alone there is nothing to change; that is a result as well.
  return Object.fromEntries(files.map((file) => [file, resultOf(byFile.get(file) ?? [])]));
};

const resultOf = (tried: readonly Tried[]): FileResult => {
  const count = (...statuses: readonly string[]): number =>
    tried.filter(({ status }) => statuses.includes(status)).length;
  return {
    ...resultNow(),
    killed: count('Killed', 'RuntimeError'),
    timeouts: count('Timeout'),
    survivors: tried.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').map(survivorOf),
  };
};

const survivorOf = ({ fileName, location, mutatorName, replacement, status }: Tried): Survivor => ({
  line: location.start.line,
  mutator: mutatorName,
  was: textAt(fileName, location),
  is: onOneLine(replacement),
  ...(status === 'NoCoverage' && { isReached: false as const }),
});

/** Lines and columns count from 1. */
const textAt = (file: string, { start, end }: Tried['location']): string => {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const piece = lines.map((line, at) =>
    line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined),
  );
  return onOneLine(piece.join(' '));
};

const LONGEST = 100;
const onOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};
