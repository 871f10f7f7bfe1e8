import { expect, inject, it } from 'vitest';
import { homeDatabase } from '../../support/postgres/home-database.ts';

it('tells whom somebody looks at, and nobody for commands, fires and comparisons', async () => {
  const database = await homeDatabase(inject('postgresUrl'));
  const looked: string[] = [];
  const homes = database.service({ onLooked: (playerIds) => looked.push(...playerIds) });
  const command = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
  await homes.handle([{ playerId: 'ann', commandId: 'adopt-a-dog', command }]);
  await homes.settle(['ann']);
  await homes.compare(['ann']);
  expect(looked).toEqual([]);
  await homes.look(['ann', 'bob']);
  expect(looked.toSorted()).toEqual(['ann', 'bob']);
  await database.drop();
});
