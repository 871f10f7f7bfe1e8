import { describe, expect, it } from 'vitest';
import { Scene, T0 } from '../support/properties/scene.ts';

describe('a command is refused', () => {
  it('with pet/unknown for a pet that is not there, never was, or is somebody else’s', () => {
    const scene = new Scene({ 'dog-food': 1 });
    for (const petId of ['bob~p2', 'anna~p3', '__proto__']) {
      expect(scene.send(T0, { type: 'home:feed', petId, food: 'dog-food' })).toBe('pet/unknown');
      expect(scene.send(T0, { type: 'home:disarm', petId })).toBe('pet/unknown');
    }
  });

  it('with item/unknown for what the catalogue does not have, and for names that every object has', () => {
    const scene = new Scene({ 'dog-food': 1 });
    for (const name of ['gold', 'constructor', '__proto__', 'toString']) {
      expect(scene.feed(T0, name)).toBe('item/unknown');
      expect(scene.card(T0, name)).toBe('item/unknown');
      expect(scene.grant(T0, JSON.parse(`{"${name}":1}`))).toBe('item/unknown');
      expect(scene.take(T0, JSON.parse(`{"${name}":1}`))).toBe('item/unknown');
    }
  });

  it('with item/unknown for a card that is fed and a food that is played', () => {
    const scene = new Scene({ 'dog-food': 1, boost: 1 });
    expect(scene.feed(T0, 'boost')).toBe('item/unknown');
    expect(scene.card(T0, 'dog-food')).toBe('item/unknown');
  });

  it('with species/unknown and pet/limit when it adopts', () => {
    const scene = new Scene({}, 8);
    expect(scene.send(T0, { type: 'home:adopt', name: 'Bo', species: 'dragon' })).toBe('species/unknown');
    expect(scene.send(T0, { type: 'home:adopt', name: 'Bo', species: 'dog' })).toBe('pet/limit');
    scene.release(T0);
    expect(scene.send(T0, { type: 'home:adopt', name: 'Bo', species: 'dog' })).toMatchObject({ petId: 'anna~p11' });
  });

  it.each([
    ['an empty name', ''],
    ['spaces', ' \t\u00a0 '],
    ['what nobody sees', '\u200b\u200d'],
    ['33 characters', 'x'.repeat(33)],
    ['33 characters of two units', '🐶'.repeat(33)],
    ['NUL', 'Bo\0'],
    ['a line break', 'Bo\nBo'],
    ['a lone surrogate', 'Bo\ud800'],
    ['text that is turned around', 'Bo\u202eob'],
    ['an Arabic letter mark', 'Bo\u061c'],
  ])('with name/refused for %s', (_, name) => {
    expect(new Scene({}).send(T0, { type: 'home:adopt', name, species: 'dog' })).toBe('name/refused');
  });

  it.each([
    ['  Bo ', 'Bo'],
    ['x'.repeat(32), 'x'.repeat(32)],
    ['🐶'.repeat(32), '🐶'.repeat(32)],
    ['e\u0301', '\u00e9'],
    ['👩‍👧', '👩‍👧'],
    ['ポチ 2', 'ポチ 2'],
    ['<b>Bo</b>', '<b>Bo</b>'],
  ])('but not for the name %j, which is kept as %j', (name, kept) => {
    const scene = new Scene({});
    scene.send(T0, { type: 'home:adopt', name, species: 'dog' });
    expect(scene.pet(1).name).toBe(kept);
  });

  it('but a take of items that the rules no longer know is accepted while there are some', () => {
    const scene = new Scene({ relic: 2 });
    expect(scene.take(T0, { relic: 2 })).toMatchObject({ events: [{ type: 'items-granted', items: { relic: -2 } }] });
    expect(scene.take(T0, { relic: 1 })).toBe('item/unknown');
  });
});
