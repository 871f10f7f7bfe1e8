import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import { type FileResult, type RoomResult, resultNow } from '../record/results.ts';
import { type LuaMutant, luaMutants } from './lua-mutants.ts';

/** Tries every mutant of some scripts, one after the other. Throws where a test fails without one. */
export const tryScripts = async (files: readonly string[]): Promise<RoomResult> => {
  const vitest = await createVitest('test', {
    config: 'test/mutate/lua/vitest.config.ts',
    watch: false,
    reporters: [{}],
  });
  try {
    if (!(await passes(vitest, { script: '', text: '' }))) throw new Error('a test fails on the scripts as they are');
    const results: [string, FileResult][] = [];
    for (const file of files) results.push([file, await tryScript(vitest, file)]);
    return Object.fromEntries(results);
  } finally {
    await vitest.close();
  }
};

const tryScript = async (vitest: Vitest, file: string): Promise<FileResult> => {
  const script = path.basename(file, '.lua');
  const survivors: LuaMutant[] = [];
  const all = luaMutants(readFileSync(file, 'utf8'));
  // The probe asks whether a command is allowed: no number among its arguments changes the reply.
  const mutants = script === 'probe' ? all.filter(({ mutator }) => mutator !== 'constant') : all;
  for (const mutant of mutants) if (await passes(vitest, { script, text: mutant.text })) survivors.push(mutant);
  return {
    ...resultNow(),
    killed: mutants.length - survivors.length,
    timeouts: 0,
    survivors: survivors.map(({ line, mutator, was, is }) => ({ line, mutator, was, is })),
  };
};

const passes = async (vitest: Vitest, mutant: { readonly script: string; readonly text: string }): Promise<boolean> => {
  vitest.provide('luaMutant', mutant);
  vitest.state.filesMap.clear();
  vitest.state.errorsSet.clear();
  const { testModules, unhandledErrors } = await vitest.start();
  if (testModules.length === 0) throw new Error('no test ran');
  return unhandledErrors.length === 0 && testModules.every((each) => each.ok());
};
