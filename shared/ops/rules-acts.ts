import { admin, read } from './act.ts';
import { a, by, maybe, wholeInput } from './input.ts';

/** Operators' acts on the rules of modules: a part of `opsActs`. */
export const rulesReads = {
  rules: read('/rules', 'the modules whose rules can be changed, and the version of each that is in force', {
    cli: 'rules ls',
  }),
  rulesOf: read('/rules/:module', 'the rules of a module: those in force, or an older version', {
    cli: 'rules show <module>',
    input: { version: maybe(by('--at <version>', 'an older version', wholeInput(1, 10_000))) },
  }),
  rulesHistory: read('/rules/:module/history', 'the versions of the rules of a module, newest first', {
    cli: 'rules history <module>',
    input: {
      before: maybe(by('--before <version>', 'where the page before ended', wholeInput(1, 10_001))),
      limit: by('--limit <count>', 'versions', maybe(wholeInput(1, 100)), 20),
    },
  }),
} as const;

export const rulesWrites = {
  /** A dry run only checks: it returns all faults at once, or the differences. */
  replaceRules: admin('/rules/:module', 'change the rules of a module; in force at once, on every server', {
    cli: 'rules apply <module> <file>',
    asks: 'change the rules of {module} (version {expectedVersion} is in force)',
    input: {
      config: a('json'),
      expectedVersion: by('--over <version>', 'the version that is in force now', wholeInput(0, 10_000)),
    },
    risk: 'broad',
  }),
  rollBackRules: admin('/rules/:module/roll-back', 'copy an older version of the rules into a new version', {
    cli: 'rules roll-back <module> <version>',
    asks: 'take the rules of {module} back to version {version} (version {expectedVersion} is in force)',
    input: {
      version: wholeInput(1, 10_000),
      expectedVersion: by('--over <version>', 'the version that is in force now', wholeInput(0, 10_000)),
    },
    risk: 'broad',
  }),
} as const;
