// `npm run house`: the measures of the structure. `test/architecture.test.ts` holds them.
import path from 'node:path';
import { LONGEST_WALK } from './support/source/graph.ts';
import { LARGEST_FOLDER, measureHouse } from './support/source/house.ts';
import { LONGEST_FILE, LONGEST_FUNCTION } from './support/source/lengths.ts';
import { LARGEST_PORT } from './support/source/ports.ts';

const { sizes, longFiles, longFunctions, roomCycles, fileCycles, faults, rooms, floors, ports, escapes, feed } =
  measureHouse(path.dirname(import.meta.dirname));
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const listed = (name: string, found: readonly string[]): void => {
  say(`${name}: ${found.length}`);
  for (const one of found) say(`  ${one}`);
};

say('floor files arrows room');
for (const [room, floor] of [...floors].toSorted(([, one], [, other]) => one - other)) {
  const cells = [floor, sizes.get(room) ?? 0, rooms.get(room)?.size ?? 0].map((cell) => String(cell).padStart(5));
  say(`${cells.join(' ')}  ${room}`);
}
const arrows = [...rooms.values()].reduce((sum, { size }) => sum + size, 0);
say(`rooms: ${rooms.size}, arrows: ${arrows}, floors: ${Math.max(0, ...floors.values())}`);
say(`folders in all: ${sizes.size}, largest: ${Math.max(...sizes.values())} files`);
const large = [...sizes].filter(([, size]) => size > LARGEST_FOLDER);
listed(
  `folders with more than ${LARGEST_FOLDER} files of their own`,
  large.map(([folder, size]) => `${folder}: ${size}`),
);
for (const [name, lengths, limit] of [
  ['files', longFiles, LONGEST_FILE],
  ['functions', longFunctions, LONGEST_FUNCTION],
] as const) {
  const [longest] = lengths;
  say(`longest of ${lengths.length} ${name}: ${longest?.lines} lines, ${longest?.name}`);
  listed(
    `${name} with more than ${limit} lines`,
    lengths.filter(({ lines }) => lines > limit).map((long) => `${long.name}: ${long.lines}`),
  );
}
say(`ports: ${ports.length}, largest: ${ports[0]?.name} with ${ports[0]?.methods} methods`);
listed(
  `ports with more than ${LARGEST_PORT} methods`,
  ports
    .filter(({ methods }) => methods > LARGEST_PORT)
    .map(({ name, file, methods }) => `${name}: ${methods} (${file})`),
);
say(`a feed walks through ${feed.files.length} files (${LONGEST_WALK} at most) and climbs ${feed.climbs} times`);
listed('results that leave a callback by a `let`', escapes);
listed(
  'folders that import each other',
  roomCycles.map((group) => group.join(' ')),
);
listed(
  'files that import each other',
  fileCycles.map((group) => group.join(' ')),
);
listed('arrows that run up, and globals out of their home', faults);
