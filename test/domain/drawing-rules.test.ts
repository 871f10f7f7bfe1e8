import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DrawPlace, fieldsOf, type Seed } from '../../server/domain/chance.ts';
import { judge } from '../../server/domain/decide.ts';
import { fold } from '../../server/domain/evolve.ts';
import { Modules } from '../../server/domain/modules.ts';
import { openHome, shownHome } from '../../server/domain/open-home.ts';
import { settle, settleSome } from '../../server/domain/settle.ts';
import { bitsBy } from '../../server/home/model/draw-bits.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { newHome } from '../../shared/home.ts';
import type { Asked, ByChance, Chance, Refusal } from '../../shared/module/module.ts';
import { tries } from '../proof/table/tries.ts';
import { homeWith, type Puppet, type PuppetTurn, puppet } from '../support/modules/puppet.ts';
import { prove } from '../support/properties/prove.ts';

const PIECES = tries({ test: 100, proof: 1_000 });

const seed: Seed = { bits: bitsBy('of the installation'), epoch: 'e1', life: 0 };
const drawn = (at: Partial<DrawPlace>, by: Seed = seed): string => {
  const place = { playerId: 'anna', module: 'aa', rule: 'complete', thing: '', nextSeq: 11, ...at };
  return `${by.bits(fieldsOf(by, place, 1)) / 2 ** 53}`;
};
type Drawing = PuppetTurn & ByChance;
/** An event with what was drawn. */
const noted = (thing: string, { fraction }: Chance, more: Partial<Puppet> = {}) => ({
  type: 'set',
  thing,
  note: `${fraction()}`,
  ...more,
});
const complete = ({ id, chance }: Drawing) => [noted(id, chance)];
const notes = (events: readonly HomeEvent[]) => events.map(({ note }) => note);
const say = (modules: Modules, home = homeWith(modules, {}), by: Seed | undefined = seed) =>
  judge({ modules, home, command: { type: 'aa:say', events: [] }, commandId: 'command-1', nowMs: 150, seed: by });
const deciding = (say: (asked: Asked<Puppet, object>) => readonly object[] | Refusal, more = {}) =>
  new Modules([puppet('aa', { decide: { say }, complete, ...more })]);

describe('a rule draws by its place:', () => {
  it('a command by its rule, at the seq of its first event', () => {
    const modules = deciding(({ chance }) => [noted('x', chance), noted('y', chance)]);
    const { decision } = say(modules);
    expect(decision.ok && decision.value[0]?.note).toBe(drawn({ rule: 'decide.say' }));
    expect(decision.ok && decision.value[1]?.note).not.toBe(drawn({ rule: 'decide.say' }));
    const later = say(modules, { ...homeWith(modules, {}), seq: 11 });
    expect(later.decision).toMatchObject({
      ok: true,
      value: [{ note: drawn({ rule: 'decide.say', nextSeq: 12 }) }, {}],
    });
  });

  it('what a command sets off, and what settling brings, by the thing', () => {
    const modules = deciding(() => [{ type: 'set', thing: 'x', dueAtMs: 150 }]);
    const home = homeWith(modules, { aa: { y: { dueAtMs: 120 }, z: { dueAtMs: 120 } } });
    const { settled, decision } = say(modules, home);
    expect(notes(settled)).toEqual([drawn({ thing: 'y' }), drawn({ thing: 'z', nextSeq: 12 })]);
    expect(decision).toMatchObject({ ok: true, value: [{ thing: 'x' }, { note: drawn({ thing: 'x', nextSeq: 14 }) }] });
  });

  it('two modules, two rules and two things at one seq draw different things', () => {
    const modules = new Modules([puppet('aa', { complete }), puppet('bb', { complete })]);
    const settled = ['aa', 'bb'].flatMap((module) =>
      ['x', 'y'].flatMap((id) => {
        const home = homeWith(modules, { [module]: { [id]: { dueAtMs: 120 } } });
        return notes(settle(modules, home, 120, seed));
      }),
    );
    expect(new Set([...settled, drawn({ rule: 'decide.say' })]).size).toBe(5);
  });

  it('what a player begins with by the life alone: what is shown before is what comes, whenever that is', () => {
    const open = ({ chance }: ByChance) => [noted('x', chance)];
    const modules = new Modules([puppet('aa', { open }), puppet('bb', { open })]);
    const expected = {
      aa: { x: { note: drawn({ rule: 'open', nextSeq: 0 }) } },
      bb: { x: { note: drawn({ module: 'bb', rule: 'open', nextSeq: 0 }) } },
    };
    expect(shownHome(modules, newHome('anna'), { nowMs: 7, seed }).things).toEqual(expected);
    expect(fold(modules, newHome('anna'), openHome(modules, newHome('anna'), { nowMs: 90, seed })).things).toEqual(
      expected,
    );
    // A module that came later is opened at any seq: a player that waits for another seq gets the same.
    for (const seq of [10, 11, 99]) {
      const known = { ...homeWith(modules, {}), seq, opened: ['aa'] };
      expect(shownHome(modules, known, { nowMs: 150, seed }).things).toEqual({ bb: expected.bb });
      expect(notes(openHome(modules, known, { nowMs: 150, seed }))).toContain(expected.bb.x.note);
    }
    const again = openHome(modules, newHome('anna'), { nowMs: 7, seed: { ...seed, life: 1 } });
    expect(notes(again)).not.toContain(expected.aa.x.note);
  });
});

/** Settles step by step; throws where the log is another one than of settling at once. */
const holdChunks = (slices: readonly number[], seedOfLook: (look: number) => Seed): void => {
  const again = ({ id, chance, nowMs }: Drawing) => [noted(id, chance, { dueAtMs: nowMs + chance.whole(1, 9) })];
  const modules = new Modules([puppet('aa', { complete: again }), puppet('bb', { complete: again })]);
  const begun = homeWith(modules, { aa: { x: { dueAtMs: 110 }, y: { dueAtMs: 113 } }, bb: { x: { dueAtMs: 110 } } });
  const once = settle(modules, begun, 300, seed);
  // As another process has it.
  const others = new Modules([puppet('bb', { complete: again }), puppet('aa', { complete: again })]);
  const log: HomeEvent[] = [];
  let home = begun;
  for (const [look, slice] of [...slices, 1000].entries()) {
    const { events } = settleSome(others, structuredClone(home), {
      nowMs: slice === 1000 ? 300 : 100 + slice,
      maxEvents: 1 + slice,
      seed: seedOfLook(look),
    });
    log.push(...events);
    home = fold(modules, home, events);
  }
  if (JSON.stringify(log) !== JSON.stringify(once)) throw new Error('the draws depend on when somebody looks');
};

describe('any chunking, retry and node', () => {
  const slices = fc.array(fc.nat(190), { maxLength: 12 }).map((all) => all.sort((one, other) => one - other));

  it('draws the same', (context) => {
    fc.assert(
      fc.property(slices, (all) => holdChunks(all, () => seed)),
      { numRuns: PIECES },
    );
    prove(context, { row: 29, tries: PIECES, of: 'logs settled in other pieces, on other nodes' });
  });

  it('would not if a draw knew of the look that found it', (context) => {
    expect(() => holdChunks([15, 40], (look) => ({ ...seed, life: look }))).toThrow('when somebody looks');
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });
});

describe('whether a command is accepted must not depend on a draw: it is a fault of the module', () => {
  const refused = (rule: (asked: Asked<Puppet, object>) => readonly object[] | Refusal, more = {}) =>
    say(deciding(rule, more)).decision;
  const isGood = ({ fraction }: Chance): boolean => fraction() > 2;

  it('to refuse after a draw', () => {
    const decision = refused(({ chance, refuse }) => (isGood(chance) ? [] : refuse('aa/bad-luck', { tries: 1 })));
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault', params: { module: 'aa' } } });
    const fault = decision.ok ? undefined : decision.fault;
    expect(fault?.message).toContain('decide.say of aa: it is refused after a draw (aa/bad-luck {"tries":1})');
    // The client's messages reveal nothing of the draw.
    expect(decision.ok || JSON.stringify(decision.error)).not.toContain('luck');
  });

  it.each([
    ['takes what is not there', (set: object) => [{ ...set, items: { wood: -1 } }], {}, 'item/out-of-stock'],
    [
      'gives more than can be counted',
      (set: object) => [{ ...set, items: { gold: Number.MAX_SAFE_INTEGER } }],
      {},
      'item/too-many',
    ],
    ['makes more things than a player may have', (set: object) => [set], { maxThings: 0 }, 'module/too-many'],
    ['is due beyond the clock’s end', (set: object) => [{ ...set, dueAtMs: 2 ** 42 }], {}, 'thing/too-long'],
  ])('what it drew %s', (_, events, more, code) => {
    const rules = { ...more, dueAtMs: ({ dueAtMs }: Puppet) => dueAtMs };
    const home = {
      ...homeWith(
        deciding(() => []),
        {},
      ),
      items: { gold: 1 },
    };
    const plain = deciding(() => events({ type: 'set', thing: 'x' }), rules);
    expect(say(plain, home).decision).toMatchObject({ ok: false, error: { code } });
    const drawing = deciding(({ chance }) => events(noted('x', chance)), rules);
    const { decision } = say(drawing, home);
    expect(decision).toMatchObject({ ok: false, error: { code: 'module/fault' }, fault: { rule: 'decide.say' } });
    expect(decision.ok || decision.fault?.message).toContain(`refused after a draw (${code}`);
  });

  it('but not to refuse before it, nor to draw and accept', () => {
    expect(refused(({ refuse }) => refuse('aa/closed'))).toMatchObject({ ok: false, error: { code: 'aa/closed' } });
    expect(refused(({ chance }) => [noted('x', chance)])).toMatchObject({ ok: true });
  });
});

describe('a draw is a fault', () => {
  it('in goOn, which has no chance', () => {
    const goOn = ({ id, chance }: Drawing) => (chance.fraction() > 2 ? [] : [{ type: 'gone', thing: id }]);
    const modules = new Modules([puppet('aa', { goOn })]);
    expect(() => settle(modules, homeWith(modules, { aa: { x: { sinceMs: 1 } } }), 200, seed)).toThrow(
      expect.objectContaining({ name: 'ModuleFault', rule: 'goOn', thing: 'x' }),
    );
  });

  it('when its call is over, and where there is no seed', () => {
    let kept: Chance | undefined;
    const rules = {
      complete: ({ id, chance }: Drawing) => {
        kept?.fraction();
        kept = chance;
        return [{ type: 'gone', thing: id }];
      },
    };
    const modules = new Modules([puppet('aa', rules)]);
    const home = homeWith(modules, { aa: { x: { dueAtMs: 110 }, y: { dueAtMs: 120 } } });
    expect(() => settle(modules, home, 200, seed)).toThrow(/complete of aa y: .*when its call is over/);
    const drawing = new Modules([puppet('aa', { complete })]);
    expect(() => settle(drawing, home, 200)).toThrow(/complete of aa x: .*no chance here/);
  });

  it('with a bad argument, or beyond a thousand', () => {
    for (const draw of [
      ({ chance }: Drawing) => chance.pick([{ weight: 0 }]),
      ({ chance }: Drawing) => chance.whole(2, 1),
      ({ chance }: Drawing) => Array.from({ length: 1001 }, () => chance.fraction()),
    ]) {
      const modules = new Modules([
        puppet('aa', { complete: (turn: Drawing) => [draw(turn), { type: 'gone', thing: turn.id }].slice(1) }),
      ]);
      const home = homeWith(modules, { aa: { x: { dueAtMs: 110 } } });
      expect(() => settle(modules, home, 200, seed)).toThrow(
        expect.objectContaining({ name: 'ModuleFault', rule: 'complete' }),
      );
    }
  });
});
