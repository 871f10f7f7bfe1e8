import { expect, it } from 'vitest';
import { createPetNotes } from '../../../client/page/game/pet-notes.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import { ManualPlatform } from '../support/manual-platform.ts';

const done = (seq: number): HomeEvent => ({
  v: 1,
  seq,
  at: 1_700_000_000_000,
  type: 'feeding-completed',
  petId: 'p',
  feedingId: `f${seq}`,
  xp: 10,
  totalXp: seq * 10,
});

it('a pet is happy for five seconds after each meal, also when the next ends meanwhile', async () => {
  const platform = new ManualPlatform();
  const notes = createPetNotes(platform);
  notes.hear(done(1));
  await platform.pass(4_000);
  notes.hear(done(2));
  await platform.pass(4_999);
  expect([...notes.happy.value]).toEqual(['p']);
  await platform.pass(1);
  expect([...notes.happy.value]).toEqual([]);
});
