import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** One line of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The lines after one FROM. */
interface Stage {
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

export interface Image {
  /** The folder of the last stage, where its WORKDIR would be. */
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Does without Docker what `docker build` does with COPY, ENV and RUN: each stage in an empty folder, which is its WORKDIR.
 * Throws what a RUN said where it failed. `skip`: parts of RUN lines that would change this machine.
 */
export const buildImage = async (root: string, skip: readonly string[]): Promise<Image> => {
  const top = mkdtempSync(path.join(os.tmpdir(), 'kibble-image-'));
  const remove = (): Promise<void> => rm(top, { recursive: true, force: true });
  const folders = new Map<string, string>();
  let folder = top;
  try {
    for (const [at, stage] of stagesOf(readFileSync(path.join(root, 'Dockerfile'), 'utf8')).entries()) {
      folder = path.join(top, `stage-${at}`);
      mkdirSync(folder);
      folders.set(stage.name ?? `${at}`, folder);
      await buildStage(stage, folder, { root, folders, skip });
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
};

interface Context {
  readonly root: string;
  readonly folders: ReadonlyMap<string, string>;
  readonly skip: readonly string[];
}

const buildStage = async ({ instructions }: Stage, folder: string, context: Context): Promise<void> => {
  // The machine's npm cache spares the network.
  const env: Record<string, string | undefined> = { ...process.env, npm_config_prefer_offline: 'true' };
  env.NODE_ENV = undefined;
  env.PATH = `${path.dirname(process.execPath)}${path.delimiter}${env.PATH}`;
  for (const { name, rest } of instructions) {
    if (name === 'ENV') Object.assign(env, Object.fromEntries(rest.split(' ').map((entry) => entry.split('='))));
    if (name === 'COPY') copy(rest.split(' '), folder, context);
    if (name === 'RUN') await runIn(folder, without(rest, context.skip), env);
  }
};

/** `a b ./` or `--from=stage /app/a a`. */
const copy = (words: readonly string[], folder: string, { root, folders }: Context): void => {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const to = path.resolve(folder, paths.at(-1) ?? '.');
  for (const source of paths.slice(0, -1)) {
    const place =
      from === undefined
        ? path.join(root, source)
        : path.join(folders.get(from) ?? from, path.relative('/app', source));
    if (!existsSync(place)) throw new Error(`COPY finds no ${source}`);
    if (from === undefined && !isLetThrough(root, source)) throw new Error(`.dockerignore keeps ${source} out`);
    const target = paths.at(-1)?.endsWith('/') ? path.join(to, path.basename(source)) : to;
    cpSync(place, target, {
      recursive: true,
      filter: (file) => from !== undefined || isLetThrough(root, path.relative(root, file)),
    });
  }
};

/** The last line of .dockerignore that fits decides. Of its patterns those that stand there: `*`, paths, `!` before one. */
const isLetThrough = (root: string, file: string): boolean => {
  const lines = readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const fits = (pattern: string): boolean => pattern === '*' || file === pattern || file.startsWith(`${pattern}/`);
  return !lines.reduce((isOut, line) => (fits(line.replace(/^!/, '')) ? !line.startsWith('!') : isOut), false);
};

const without = (command: string, skip: readonly string[]): string =>
  skip.reduce((left, part) => left.replace(part, ''), command);

const runIn = async (folder: string, command: string, env: Readonly<Record<string, string | undefined>>) => {
  await promisify(execFile)('sh', ['-c', command], { cwd: folder, env, maxBuffer: 2 ** 26 }).catch((error) => {
    throw new Error(`RUN ${command} ended with ${error.code}:\n${error.stdout}${error.stderr}`);
  });
};

const stagesOf = (dockerfile: string): readonly Stage[] => {
  const lines = dockerfile.replaceAll('\\\n', ' ').split('\n');
  const instructions = lines.flatMap((line): Instruction[] => {
    const [, name, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, rest }];
  });
  const starts = instructions.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []));
  return starts.map((start, at) => ({
    name: / AS (\S+)/i.exec(instructions[start]?.rest ?? '')?.[1],
    instructions: instructions.slice(start + 1, starts[at + 1]),
  }));
};
