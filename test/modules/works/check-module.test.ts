import fc from 'fast-check';
import { expect, it } from 'vitest';
import { works } from '../../../server/settings/rules.ts';
import type { AnyModule } from '../../../shared/module/module.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { checkModule, type ModuleTrial } from '../../../testing/check-module.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { STOCK } from '../../support/works/play-works.ts';
import { ACTIVITIES, CARDS, THINGS, worksRules } from '../../support/works/works-histories.ts';

/** Ids of things that there is one of, and of the first that get new ones. */
const id = fc.constantFrom(...Array<string>(8).fill('hall'), 'mill', 'anna~t3');
const say = (type: string, payload: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ type: fc.constant(type), payload: fc.record(payload, { noNullPrototype: true }) });

/** Mostly of the hall, and what these rules let it do: else hardly anything would ever run. */
const commandsOf = ({ activities }: WorksRules): ModuleTrial['commands'] => {
  const ofHall = Object.keys(activities).filter((name) => activities[name]?.on.includes('hall'));
  const activity = fc.constantFrom(...ofHall, ...ofHall, ...ofHall, ...ofHall, ...ACTIVITIES);
  return fc.oneof(
    { weight: 6, arbitrary: say('place', { thing: fc.constantFrom(...Array<string>(8).fill('hall'), ...THINGS) }) },
    { weight: 8, arbitrary: say('start', { thing: id, activity }) },
    { weight: 6, arbitrary: say('use-card', { thing: id, card: fc.constantFrom(...CARDS) }) },
    { weight: 2, arbitrary: say('cancel', { thing: id }) },
    { weight: 3, arbitrary: say('collect', { thing: id }) },
    { weight: 1, arbitrary: say('remove', { thing: id }) },
    {
      weight: 1,
      arbitrary: say('reorder', {
        slot: fc.constantFrom('builders', 'ovens'),
        things: fc.constantFrom(['mill', 'hall'], ['hall'], ['mill']),
      }),
    },
  );
};

/** By few histories and rules of every sort any of them may always be refused. */
const mayRefuse = ['place', 'start', 'use-card', 'cancel', 'collect', 'remove', 'reorder'];

/** The same module, which notes the commands that it accepts. */
const noting = (module: AnyModule, accepted: Map<string, number>): AnyModule => ({
  ...module,
  decide: Object.fromEntries(
    Object.entries(module.decide).map(([name, rule]) => [
      name,
      (asked: never) => {
        const said = (rule as (asked: never) => unknown)(asked);
        if (Array.isArray(said)) accepted.set(name, 1 + (accepted.get(name) ?? 0));
        return said;
      },
    ]),
  ) as never,
});

/** More of them: `RULE_SETS=1000`. */
const RULE_SETS = Number(process.env.RULE_SETS ?? tries({ test: 12, proof: 100 }));

it('keeps all laws of modules, by rules of every sort, also while others are in force', { timeout: HANG_MS }, () => {
  const rules = fc.sample(fc.tuple(worksRules, worksRules), RULE_SETS);
  const accepted = new Map<string, number>();
  for (const [at, [own, other]] of rules.entries()) {
    const [town, changed] = [works({ name: 'town', rules: own }), works({ name: 'town', rules: other })];
    // The stock is that of all sorts of rules.
    const more = { items: STOCK, otherItems: Object.keys(STOCK), other: changed, unitMs: 3, mayRefuse };
    expect(
      checkModule(noting(town, accepted), { commands: commandsOf(own), ...more }, { runs: 100, seed: at }),
    ).toEqual([]);
  }
  expect([...accepted.keys()].sort()).toEqual([...mayRefuse].sort());
});
