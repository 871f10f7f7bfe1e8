import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { filesOf, mutatedRooms } from './mutated-rooms.ts';

/** A changed piece of source that no test noticed. */
const Survivor = z.object({
  line: z.number(),
  mutator: z.string(),
  was: z.string(),
  is: z.string(),
  /** No test of the room runs this piece at all. */
  isReached: z.literal(false).exactOptional(),
  /** By hand: it does the same, or a slower test of this name notices. A later run keeps it while the mutant survives. */
  why: z.string().exactOptional(),
});

const FileResult = z.object({
  /** The day of the run, and the commit that it began from. */
  madeOn: z.string(),
  commit: z.string(),
  killed: z.number(),
  /** Tries that hung: noticed as well. */
  timeouts: z.number(),
  survivors: z.array(Survivor).readonly(),
});

export type Survivor = z.infer<typeof Survivor>;
export type FileResult = z.infer<typeof FileResult>;
/** By file. */
export type RoomResult = Readonly<Record<string, FileResult>>;

/** The head of a result that is made now. */
export const resultNow = (): Pick<FileResult, 'madeOn' | 'commit'> => ({
  madeOn: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
});

const place = path.join(import.meta.dirname, '../../../docs/record/mutants.json');

/** By room. */
type Results = Readonly<Record<string, RoomResult>>;

export const readResults = (): Results =>
  z.record(z.string(), z.record(z.string(), FileResult)).parse(JSON.parse(readFileSync(place, 'utf8')));

/** Empty for a room that was never tried. */
export const readResult = (room: string): RoomResult => readResults()[room] ?? {};

/**
 * The result of a room replaces the known results of the same files; explanations of mutants that survive again stay.
 * Results of files that are gone, or that are in another room now, are removed from all rooms.
 */
export const keepResult = (room: string, tried: RoomResult): void => {
  const all = readResults();
  const kept = { ...all[room], ...explainedAs(all[room] ?? {}, tried) };
  writeFileSync(place, `${JSON.stringify(ofToday({ ...all, [room]: kept }), null, 2)}\n`);
};

/** The results of files that are in their rooms now, in the order of their names. */
export const ofToday = (results: Results): Results =>
  Object.fromEntries(
    Object.entries(results).flatMap(([name, result]) => {
      const room = mutatedRooms.find((one) => one.name === name);
      const files = room ? filesOf(room).filter((file) => file in result) : [];
      return room ? [[name, Object.fromEntries(files.map((file) => [file, result[file]]))]] : [];
    }),
  ) as Results;

export const explainedAs = (before: RoomResult, tried: RoomResult): RoomResult =>
  Object.fromEntries(
    Object.entries(tried).map(([file, result]) => {
      const survivors = result.survivors.map((survivor) => {
        const known = before[file]?.survivors.find(({ was, is }) => was === survivor.was && is === survivor.is);
        return known?.why === undefined ? survivor : { ...survivor, why: known.why };
      });
      return [file, { ...result, survivors }];
    }),
  );

export interface Score {
  readonly killed: number;
  readonly timeouts: number;
  readonly survived: number;
  readonly percent: number;
}

/** Of all mutants of a room, how many made a test fail or hang. */
export const scoreOf = (room: RoomResult): Score => {
  const files = Object.values(room);
  const killed = files.reduce((sum, file) => sum + file.killed, 0);
  const timeouts = files.reduce((sum, file) => sum + file.timeouts, 0);
  const survived = files.reduce((sum, { survivors }) => sum + survivors.length, 0);
  return { killed, timeouts, survived, percent: (100 * (killed + timeouts)) / (killed + timeouts + survived) };
};
