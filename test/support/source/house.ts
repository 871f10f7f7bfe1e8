import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { violationsIn } from './architecture.ts';
import { escapesIn } from './escapes.ts';
import { cyclesIn, floorsOf, type Graph, type Walk, walkIn } from './graph.ts';
import { functionsIn, type Length } from './lengths.ts';
import { importsOf, parse } from './parse.ts';
import { type Port, portsIn } from './ports.ts';

/** The shipped or published folders; the arrows of `rooms.ts` hold here. */
const product = ['build', 'client', 'load', 'ops', 'server', 'shared', 'testing'];
const all = [...product, 'bench', 'examples', 'test'];
/** Installed, built or recorded, not written. */
const exclude = ['**/node_modules/**', '**/dist/**', 'bench/results/**'];

export const LARGEST_FOLDER = 24;

export interface House {
  readonly files: readonly string[];
  /** By folder, how many files of its own it has. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The shipped files and functions, longest first. */
  readonly longFiles: readonly Length[];
  readonly longFunctions: readonly Length[];
  /** Folders that import each other, by types too; everywhere. */
  readonly roomCycles: readonly (readonly string[])[];
  /** Files that import each other, by types too; in what is shipped. */
  readonly fileCycles: readonly (readonly string[])[];
  /** Imports and globals that the arrows forbid. */
  readonly faults: readonly string[];
  /** The rooms of the product, by what each imports. */
  readonly rooms: Graph;
  /** On which floor each of them stands; the lowest is 1. Empty when there are cycles. */
  readonly floors: ReadonlyMap<string, number>;
  /** Of the server, largest first. */
  readonly ports: readonly Port[];
  /** Results of the server that leave a callback by a `let`. */
  readonly escapes: readonly string[];
  /** The files of a feed's walk in ARCHITECTURE.md. */
  readonly feed: Walk;
}

/** The measures of the structure, taken from the sources. */
export const measureHouse = (root: string): House => {
  const files = filesOfHouse(root);
  const texts = new Map(
    files.filter((file) => /\.tsx?$/.test(file)).map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
  );
  const imports: Graph = new Map([...texts].map(([file, text]) => [file, importedBy(file, text)]));
  const own = within(imports, product);
  const rooms = roomsOf(own);
  const roomCycles = cyclesIn(roomsOf(imports));
  const server = new Map([...texts].filter(([file]) => file.startsWith('server/')));
  return {
    files,
    sizes: sizesOf(files),
    ...lengthsIn(root, files.filter(isProduct)),
    roomCycles,
    fileCycles: cyclesIn(own),
    faults: [...own.keys()].flatMap((file) => violationsIn(file, texts.get(file) ?? '')),
    rooms,
    floors: roomCycles.length === 0 ? floorsOf(rooms) : new Map(),
    ports: portsIn(server),
    escapes: [...server].flatMap(([file, text]) => escapesIn(parse(file, text))),
    feed: walkIn(readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'), 'The walk of a command'),
  };
};

/** All that is written, as paths below `root`. */
export const filesOfHouse = (root: string): readonly string[] =>
  globSync(`{${all.join(',')}}/**/*`, { cwd: root, exclude })
    .filter((file) => statSync(path.join(root, file)).isFile())
    .map((file) => file.replaceAll(path.sep, '/'));

const importedBy = (file: string, text: string): ReadonlySet<string> => {
  const relative = importsOf(parse(file, text)).filter((specifier) => specifier.startsWith('.'));
  return new Set(relative.map((specifier) => path.posix.join(path.posix.dirname(file), specifier)));
};

const isProduct = (file: string): boolean => product.includes(file.split('/')[0] ?? '');

const lengthsIn = (root: string, files: readonly string[]): Pick<House, 'longFiles' | 'longFunctions'> => {
  const written = files.filter((file) => /\.(?:tsx?|css|lua|mjs)$/.test(file));
  const texts = written.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const);
  const longFunctions = texts
    .filter(([file]) => /\.(?:tsx?|mjs)$/.test(file))
    .flatMap(([file, text]) => functionsIn(parse(file, text)));
  const longFiles = texts.map(([file, text]) => ({ name: file, lines: text.trimEnd().split('\n').length }));
  return { longFiles: longestFirst(longFiles), longFunctions: longestFirst(longFunctions) };
};

const longestFirst = (lengths: readonly Length[]): readonly Length[] =>
  lengths.toSorted((one, other) => other.lines - one.lines);

const within = (imports: Graph, tops: readonly string[]): Graph => {
  return new Map([...imports].filter(([file]) => tops.includes(file.split('/')[0] ?? '')));
};

const roomsOf = (imports: Graph): Graph => {
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const room = path.posix.dirname(file);
    const arrows = rooms.get(room) ?? new Set();
    for (const target of targets) if (path.posix.dirname(target) !== room) arrows.add(path.posix.dirname(target));
    rooms.set(room, arrows);
  }
  return rooms;
};

const sizesOf = (files: readonly string[]): ReadonlyMap<string, number> => {
  const sizes = new Map<string, number>();
  for (const file of files) {
    const folder = path.posix.dirname(file);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return sizes;
};
