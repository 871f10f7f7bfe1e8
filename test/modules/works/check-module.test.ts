import fc from 'fast-check';
import { expect, it } from 'vitest';
import { works } from '../../../server/settings/rules.ts';
import { checkModule, type ModuleTrial } from '../../../testing/check-module.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { STOCK } from '../../support/works/play-works.ts';
import { ACTIVITIES, CARDS, THINGS, worksRules } from '../../support/works/works-histories.ts';

/** Ids of things that there is one of, and of the first that get new ones. */
const id = fc.constantFrom('hall', 'hall', 'mill', 'anna~t3', 'anna~t4', 'anna~t5', 'anna~t6');
const say = (type: string, payload: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ type: fc.constant(type), payload: fc.record(payload, { noNullPrototype: true }) });

const commands: ModuleTrial['commands'] = fc.oneof(
  { weight: 4, arbitrary: say('place', { thing: fc.constantFrom(...THINGS) }) },
  { weight: 8, arbitrary: say('start', { thing: id, activity: fc.constantFrom(...ACTIVITIES) }) },
  { weight: 4, arbitrary: say('use-card', { thing: id, card: fc.constantFrom(...CARDS) }) },
  { weight: 1, arbitrary: say('cancel', { thing: id }) },
  { weight: 1, arbitrary: say('collect', { thing: id }) },
  { weight: 1, arbitrary: say('remove', { thing: id }) },
  { weight: 1, arbitrary: say('reorder', { slot: fc.constant('builders'), things: fc.constant(['mill', 'hall']) }) },
);

/** By few histories and rules of every sort any of them may always be refused. */
const mayRefuse = ['place', 'start', 'use-card', 'cancel', 'collect', 'remove', 'reorder'];

/** More of them: `RULE_SETS=1000`. */
const RULE_SETS = Number(process.env.RULE_SETS ?? tries({ test: 12, proof: 100 }));

it('keeps all laws of modules, by rules of every sort, also while others are in force', { timeout: HANG_MS }, () => {
  const rules = fc.sample(fc.tuple(worksRules, worksRules), RULE_SETS);
  for (const [own, other] of rules) {
    const [town, changed] = [works({ name: 'town', rules: own }), works({ name: 'town', rules: other })];
    // The stock is that of all sorts of rules.
    const more = { items: STOCK, otherItems: Object.keys(STOCK), other: changed, unitMs: 3, mayRefuse };
    expect(checkModule(town, { commands, ...more }, { runs: 25 })).toEqual([]);
  }
});
