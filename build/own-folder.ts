import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns a folder that is new, empty, or has an earlier package. Throws for any other: a build deletes it first. */
export const ownFolder = (folder: string): string => {
  const isFree = !existsSync(folder) || readdirSync(folder).length === 0 || hasPackage(folder);
  if (!isFree) throw new Error(`${folder} has other files: name a new folder`);
  return folder;
};

/** A checkout has the same name, and scripts. */
const hasPackage = (folder: string): boolean => {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const { name, scripts } = manifest as { readonly name?: unknown; readonly scripts?: unknown };
    return name === 'colyseus-kibble' && scripts === undefined;
  } catch {
    return false;
  }
};
