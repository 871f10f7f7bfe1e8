import type { Explained } from './explained/explained-mutant.ts';
import { ofHome } from './explained/of-home.ts';
import { ofLanes } from './explained/of-lanes.ts';
import { ofLua } from './explained/of-lua.ts';
import { ofModules } from './explained/of-modules.ts';
import { ofTimers } from './explained/of-timers.ts';

const explained: readonly Explained[] = [...ofTimers, ...ofLanes, ...ofLua, ...ofHome, ...ofModules];

/** Undefined where nobody has looked yet. */
export const explanationOf = (file: string, { was, is }: { readonly was: string; readonly is: string }) =>
  explained.find((some) => some.file === file && some.was === was && (some.is === undefined || some.is === is))?.why;

/** Those of them that no recorded survivor needs. */
export const idleExplanations = (isSurvivor: (some: Explained) => boolean): readonly string[] =>
  explained.filter((some) => !isSurvivor(some)).map(({ file, was }) => `${file}: ${was}`);
