import type { TestProject } from 'vitest/node';

/** Tells the tests of the servers that the run has started: they outlive the processes that a mutant hangs. */
export const setup = (project: TestProject): void => {
  project.provide('postgresUrl', process.env.KIBBLE_MUTATE_POSTGRES ?? '');
  project.provide('redisUrl', process.env.KIBBLE_MUTATE_REDIS ?? '');
};
