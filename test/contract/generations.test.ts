import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { PostgresGenerations } from '../../server/adapter/postgres/generations.ts';
import type { Generations } from '../../server/timer/generation.ts';
import { OwnGenerations } from '../../server/timer/own-generations.ts';
import { createTimerDatabase } from '../support/timer-database.ts';

const contract = (name: string, make: () => Promise<{ generations: Generations; dispose(): Promise<void> }>): void => {
  describe(`Generations: ${name}`, () => {
    let made: Awaited<ReturnType<typeof make>>;
    beforeEach(async () => {
      made = await make();
    });
    afterEach(() => made.dispose());

    it('counts the shards asked for at the first start only', async () => {
      expect(await made.generations.inForce(4)).toEqual({ number: 1, shards: 4 });
      expect(await made.generations.inForce(16)).toEqual({ number: 1, shards: 4 });
    });

    it('starts another, with as many shards or with others', async () => {
      await made.generations.inForce(4);
      expect(await made.generations.startNext()).toEqual({ number: 2, shards: 4 });
      expect(await made.generations.startNext(8)).toEqual({ number: 3, shards: 8 });
      expect(await made.generations.inForce(16)).toEqual({ number: 3, shards: 8 });
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
  return { generations: new PostgresGenerations({ pool, schema }), dispose };
});
