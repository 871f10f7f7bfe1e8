import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresGenerations } from '../../server/adapter/postgres/timer/generations.ts';
import { type Generations, OwnGenerations } from '../../server/timer/index/generation.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';

const inForce = (number: number, shards: number) => ({ number, shards, wantedShards: undefined, pulse: 0 });

const contract = (name: string, make: () => Promise<{ generations: Generations; dispose(): Promise<void> }>): void => {
  describe(`Generations: ${name}`, () => {
    let made: Awaited<ReturnType<typeof make>>;
    beforeEach(async () => {
      made = await make();
    });
    afterEach(() => made.dispose());

    it('counts the shards asked for at the first start only', async () => {
      expect(await made.generations.inForce(4)).toEqual(inForce(1, 4));
      expect(await made.generations.inForce(16)).toEqual(inForce(1, 4));
    });

    it('starts another, with as many shards or with those that are wanted, once', async () => {
      const { generations } = made;
      await generations.inForce(4);
      expect(await generations.startNext()).toEqual({ number: 2, shards: 4 });
      await generations.want(8);
      expect(await generations.inForce(16)).toEqual({ ...inForce(2, 4), wantedShards: 8 });
      expect(await generations.startNext()).toEqual({ number: 3, shards: 8 });
      await generations.want();
      expect(await generations.inForce(16)).toEqual({ ...inForce(3, 8), wantedShards: 8 });
      expect(await generations.startNext()).toEqual({ number: 4, shards: 8 });
      expect(await generations.inForce(16)).toEqual(inForce(4, 8));
    });

    it('keeps the number that was asked for when another is asked for without one', async () => {
      const { generations } = made;
      await generations.inForce(4);
      await generations.want(32);
      await generations.want();
      expect(await generations.inForce(16)).toEqual({ ...inForce(1, 4), wantedShards: 32 });
      expect(await generations.startNext()).toEqual({ number: 2, shards: 32 });
    });

    it('notes the pulse of the one in force, and never lets it fall', async () => {
      const { generations } = made;
      await generations.inForce(4);
      await generations.notePulse(1, 7);
      await generations.notePulse(1, 5);
      await generations.notePulse(2, 9);
      expect(await generations.inForce(4)).toEqual({ ...inForce(1, 4), pulse: 7 });
      await generations.startNext();
      expect(await generations.inForce(4)).toEqual(inForce(2, 4));
    });

    it('answers everybody the same when several ask first', async () => {
      const answers = await Promise.all([2, 4, 8, 16].map((shards) => made.generations.inForce(shards)));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    });
  });
};

contract('of one process', async () => ({ generations: new OwnGenerations(), dispose: async () => undefined }));

contract('Postgres', async () => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  return { generations: new PostgresGenerations(new Database({ pool, schema })), dispose };
});

it('keeps the last 32 generations that were in force, with their shards', async () => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const generations = new PostgresGenerations(new Database({ pool, schema }));
  await generations.inForce(4);
  await generations.want(2);
  await generations.startNext();
  expect(await generations.past()).toEqual([{ number: 1, shards: 4 }]);
  for (let count = 0; count < 40; count += 1) await generations.startNext();
  expect(await generations.past()).toEqual(Array.from({ length: 32 }, (_, at) => ({ number: 10 + at, shards: 2 })));
  await dispose();
});
