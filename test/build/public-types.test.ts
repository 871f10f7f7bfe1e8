import { expect, it } from 'vitest';
import { entries } from '../../build/entries.ts';
import { declarationsOf, unnamedTypes } from '../support/source/public-types.ts';

const files = Object.values(entries).map((file) => `${file}.ts`);
/** Those that a game may take without the main one, and without Colyseus. */
const alone = [
  'server/timers.ts',
  'shared/calendar/work-entry.ts',
  'shared/module/module.ts',
  'client/follow/follow-home.ts',
];

it('a game can name every type that a signature of the package has', { timeout: 180_000 }, () => {
  const declarations = declarationsOf(files);
  expect(unnamedTypes(files, declarations).faults).toEqual([]);
  for (const entry of alone) expect(unnamedTypes([entry], declarations).faults).toEqual([]);

  // The walk finds missing types: without the other entries a game could not name the arguments of `kibble.ops`.
  expect(unnamedTypes(['server/kibble.ts'], declarations).faults).toContain('Ops: OpsHandlers');
});
