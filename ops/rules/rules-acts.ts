import { type Act, actOn } from '../acts/act.ts';
import { hrefOf } from '../session/route.ts';
import { differenceLines } from './differences.tsx';
import { texts } from './rules-words.ts';

interface InForce {
  readonly module: string;
  readonly version: number;
}

export const replaceAct = ({ module, version }: InForce, config: unknown, onDone: () => void): Act =>
  actOn('replaceRules', {
    parts: { module },
    on: module,
    target: `rules:${module}`,
    given: { config, expectedVersion: version },
    // An older version may be on the page.
    leadsTo: () => hrefOf(['rules', module]),
    onDone,
    tell: ({ differences }) => differenceLines(differences),
  });

export const rollBackAct = ({ module, version: expectedVersion }: InForce, version: number): Act =>
  actOn('rollBackRules', {
    parts: { module },
    on: `${module} · ${texts().show({ version })}`,
    target: `rules:${module}`,
    given: { version, expectedVersion },
    tell: ({ differences }) => differenceLines(differences),
  });
