import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HandlesById } from '../../../server/adapter/memory/handles-by-id.ts';
import { HandlesByOwner } from '../../../server/adapter/memory/handles-by-owner.ts';
import { PROPERTY_RUNS } from '../../support/properties/property-runs.ts';

/** Ids that differ by it have one hash, so that all of them want one place. */
const SAME_HASH = 2 ** 32;
const id = fc.oneof(
  fc.nat(40),
  fc.nat(Number.MAX_SAFE_INTEGER),
  fc.nat(20).map((times) => 7 + times * SAME_HASH),
);

describe('handles by id', () => {
  it('are those of a map, after any sequence', () => {
    const step = fc.record({ id, isSet: fc.boolean(), handle: fc.nat() });
    const property = fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const map = new Map<number, number>();
      const handles = new HandlesById();
      for (const each of steps) {
        if (each.isSet) map.set(each.id, each.handle);
        else map.delete(each.id);
        if (each.isSet) handles.set(each.id, each.handle);
        else handles.delete(each.id);
        expect(handles.get(each.id)).toBe(map.get(each.id) ?? -1);
      }
      for (const each of steps) expect(handles.get(each.id)).toBe(map.get(each.id) ?? -1);
    });
    fc.assert(property, { numRuns: PROPERTY_RUNS });
  });

  it('are found among a hundred thousand ids in a row, half of which went', () => {
    const handles = new HandlesById();
    const ids = Array.from({ length: 100_000 }, (_, at) => at);
    for (const each of ids) handles.set(each, each + 1);
    for (const each of ids) if (each % 2 === 0) handles.delete(each);
    expect(ids.filter((each) => handles.get(each) !== (each % 2 === 0 ? -1 : each + 1))).toEqual([]);
  });
});

describe('handles by owner', () => {
  it('are those of a map of sets, after any sequence; a handle is used again by another owner', () => {
    const step = fc.record({ handle: fc.nat(30), owner: fc.constantFrom('anna', 'bob', 'npc:1', 'npc:2', '') });
    const property = fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
      const owners = new Map<number, string>();
      const handles = new HandlesByOwner();
      for (const { handle, owner } of steps) {
        if (owners.delete(handle)) handles.delete(handle);
        else {
          owners.set(handle, owner);
          handles.add(handle, owner);
          expect(handles.ownerOf(handle)).toBe(owner);
        }
        const wanted = [...owners].filter(([, of]) => of === owner).map(([each]) => each);
        expect([...handles.of(owner)].sort()).toEqual(wanted.sort());
      }
    });
    fc.assert(property, { numRuns: PROPERTY_RUNS });
  });

  it('of many owners are each its own', () => {
    const handles = new HandlesByOwner();
    for (let handle = 0; handle < 30_000; handle += 1) handles.add(handle, `owner-${handle % 10_000}`);
    for (const at of [0, 4321, 9999]) {
      expect([...handles.of(`owner-${at}`)].sort()).toEqual([at, at + 10_000, at + 20_000].sort());
    }
  });
});
