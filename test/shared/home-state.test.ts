import { Decoder, Encoder, Metadata } from '@colyseus/schema';
import { describe, expect, it } from 'vitest';
import { HomeState, PetState } from '../../shared/home-state.ts';

/** The types that the generators of all SDKs know. */
const SCALARS = ['string', 'boolean', 'number'];

/** What is no field of a type that they know; a reference is a class of ours, a collection holds either. */
const unknownFields = (schema: object): readonly string[] => {
  const fields: Record<string, unknown> = Metadata.getFields(schema);
  return Object.entries(fields).flatMap(([name, type]) => (isKnown(type) ? [] : [name]));
};

const isKnown = (type: unknown): boolean => {
  if (typeof type === 'string') return SCALARS.includes(type);
  if (type === PetState) return true;
  if (typeof type !== 'object' || type === null) return false;
  const [[kind, entry] = ['', undefined], ...more] = Object.entries(type);
  return more.length === 0 && (kind === 'map' || kind === 'array') && isKnown(entry);
};

describe('the state of a home', () => {
  it('has only fields that the generator of every SDK knows', () => {
    expect(unknownFields(HomeState)).toEqual([]);
    expect(unknownFields(PetState)).toEqual([]);
  });

  it('has the fields of the contract, in the order in which they were appended', () => {
    expect(Object.keys(Metadata.getFields(HomeState))).toEqual(['playerId', 'epoch', 'seq', 'items', 'pets']);
    expect(Object.keys(Metadata.getFields(PetState))).toEqual(
      `id name species xp level feedingId food startedAt dueAt totalMs leftMs sinceAt boostRate boostEndsAt autoFeeds
       waitingFor`.split(/\s+/),
    );
  });

  it('carries instants to the millisecond', () => {
    const state = new HomeState();
    const pet = new PetState();
    pet.dueAt = 1_764_000_000_123;
    pet.name = 'Bo';
    state.pets.set('p', pet);
    state.items.set('dog-food', 3);
    const seen = new HomeState();
    new Decoder(seen).decode(new Encoder(state).encodeAll());
    expect(seen.pets.get('p')?.dueAt).toBe(1_764_000_000_123);
    expect(seen.items.get('dog-food')).toBe(3);
  });
});
