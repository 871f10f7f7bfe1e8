import { it } from 'vitest';
import { holdAgainstModel } from './due-index-model.ts';

export const dueIndexModel = (name: string, tries: Parameters<typeof holdAgainstModel>[0]): void => {
  it(`${name}: after any sequence both orders hold each timer at its newest time, and yield it then`, async () => {
    await holdAgainstModel(tries);
  }, 120_000);
};
