import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');
const codegen = path.join(root, 'node_modules/@colyseus/schema/bin/schema-codegen');

/**
 * The state's classes in C#, by file name, from Colyseus' own generator. Throws if it cannot write one: then it exits
 * with 0 and leaves `undefined` in the file.
 */
export const csharpClasses = (source = 'shared/home-state.ts'): Readonly<Record<string, string>> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-csharp-'));
  try {
    const args = [codegen, source, '--output', folder, '--csharp', '--namespace', 'Kibble'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`schema-codegen ended with ${status}: ${stderr}`);
    const files = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const);
    const unwritten = files.filter(([, text]) => /\bundefined\b/i.test(text)).map(([name]) => name);
    if (files.length === 0 || unwritten.length > 0) {
      throw new Error(`schema-codegen cannot write ${unwritten.join(', ') || source}: take types that every SDK has`);
    }
    return Object.fromEntries(files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
