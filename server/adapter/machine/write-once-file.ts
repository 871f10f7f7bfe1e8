import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';

/**
 * The content of `file`, made by `make` the first time and kept for ever. Readable by this user only (0600).
 * Two processes at once agree: a link appears whole or not at all, and only for the first.
 * Throws what the file system throws (`EACCES`, `ENOSPC`, ...).
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
