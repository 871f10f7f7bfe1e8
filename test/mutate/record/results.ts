import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** A changed piece of source that no test noticed. */
const Survivor = z.object({
  line: z.number(),
  mutator: z.string(),
  was: z.string(),
  is: z.string(),
  /** False: no test of the room runs this piece at all. */
  isReached: z.boolean(),
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

const folder = path.join(import.meta.dirname, 'results');
const placeOf = (room: string): string => path.join(folder, `${room.replaceAll('/', '-')}.json`);

/** Empty for a room that was never tried. */
export const readResult = (room: string): RoomResult => {
  try {
    return z.record(z.string(), FileResult).parse(JSON.parse(readFileSync(placeOf(room), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
};

/** What was tried replaces what was known of those files; the other files stay as they were. */
export const keepResult = (room: string, tried: RoomResult): void => {
  const files = Object.entries({ ...readResult(room), ...tried }).toSorted(([one], [other]) => (one < other ? -1 : 1));
  mkdirSync(folder, { recursive: true });
  writeFileSync(placeOf(room), `${JSON.stringify(Object.fromEntries(files), null, 2)}\n`);
};
