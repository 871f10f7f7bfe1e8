// Before each test file: this process gets one script as a mutant has it.
import { Redis } from 'ioredis';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty: the scripts are as they are. */
    luaMutant: { readonly script: string; readonly text: string };
  }
}

const { script, text } = inject('luaMutant');
const define = Redis.prototype.defineCommand;
Redis.prototype.defineCommand = function (name, definition) {
  return define.call(this, name, name === `kibble:${script}` ? { ...definition, lua: text } : definition);
};
