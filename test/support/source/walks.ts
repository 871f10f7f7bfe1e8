import path from 'node:path';

export const LONGEST_WALK = 30;

export interface Walk {
  /** Each once, in order. */
  readonly files: readonly string[];
  /** Steps that go back up to a room that was left. */
  readonly climbs: number;
}

/** What the numbered steps under a heading of ARCHITECTURE.md name. A short name lies in the folder that was named last. */
export const walkIn = (page: string, heading: string): Walk => {
  const [section = ''] = page.slice(page.indexOf(`## ${heading}`) + 1).split('\n## ');
  const steps = section
    .split('\n\n')
    .filter((paragraph) => paragraph.startsWith('1. '))
    .join('\n');
  const files = new Set<string>();
  let folder = '';
  for (const [, file = ''] of steps.matchAll(/`([\w./-]+\.(?:ts|lua))`/g)) {
    if (file.includes('/')) folder = path.posix.dirname(file);
    files.add(file.includes('/') ? file : `${folder}/${file}`);
  }
  return { files: [...files], climbs: [...steps.matchAll(/^\d+\. Up\b/gm)].length };
};
