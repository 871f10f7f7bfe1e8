import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';

/**
 * The content of `file`, which `make` makes the first time; it never changes. Readable by this user only (0600). Two
 * processes at once get the same: a link appears whole or not at all, and only the first one succeeds. Throws the
 * errors of the file system (`EACCES`, `ENOSPC`, ...).
 */
export const writeOnceFile = (file: string, make: () => string): string => {
  const kept = readIfThere(file);
  if (kept !== undefined) return kept;
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, make(), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8');
};

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
