import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of a built page, ready to be sent. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Undefined if compression would not make it smaller. */
  readonly gzip: Buffer | undefined;
  readonly etag: string;
  /** Its name contains a hash of its content, so it never changes. */
  readonly isImmutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** A built page by path (`index.html`, `assets/...`), read once; undefined if the folder has none. */
export const readPage = (folder: string): ReadonlyMap<string, PageFile> | undefined => {
  try {
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const files = new Map(
      found.map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(folder, file).replaceAll(path.sep, '/'), pageFile(file)];
      }),
    );
    return files.has('index.html') ? files : undefined;
  } catch {
    return undefined;
  }
};

const pageFile = (file: string): PageFile => {
  const body = readFileSync(file);
  const gzip = gzipSync(body, { level: 9 });
  return {
    type: types[path.extname(file)] ?? 'application/octet-stream',
    body,
    gzip: gzip.length < body.length ? gzip : undefined,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    isImmutable: path.basename(path.dirname(file)) === 'assets',
  };
};
