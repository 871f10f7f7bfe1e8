import { describe, expect, it } from 'vitest';
import { createPetNotes } from '../../../client/page/game/pet-notes.ts';
import { chainEndsAt, petTime } from '../../../client/page/game/pet-time.ts';
import { previewCard } from '../../../client/page/game/preview.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import type { Command, HomeEvent, QuoteReply, Reply } from '../../../shared/pets/protocol.ts';
import { type ShownPet, shownPet } from '../../../shared/pets/shown-pet.ts';
import { FakeHomes } from '../../support/game/fake-homes.ts';
import { ManualPlatform } from '../support/manual-platform.ts';

const HOUR_MS = 3_600_000;

/** A pet as the page sees it, on homes that follow the very rules of the server. */
const played = async (commands: readonly (readonly [number, (petId: string) => Command])[]) => {
  const homes = new FakeHomes();
  const say = async (command: Command) => {
    const commandId = `command-${homes.log('ann').length}`;
    const [outcome] = await homes.handle([{ playerId: 'ann', commandId, command }]);
    if (!outcome?.ok) throw new Error(outcome?.error.code);
    return outcome.value as Reply;
  };
  const { petId = '' } = await say({ type: 'home:adopt', name: 'Rex', species: 'dog' });
  for (const [laterMs, command] of commands) {
    homes.nowMs += laterMs;
    await say(command(petId));
  }
  const look = async (): Promise<ShownPet> => {
    const [view] = await homes.look(['ann']);
    const [pet] = view ? petsOf(view.home) : [];
    if (!pet) throw new Error('no pet');
    return shownPet(pet, homes.catalogue.levels);
  };
  return { homes, petId, look };
};

const feed = (petId: string): Command => ({ type: 'home:feed', petId, food: 'dog-food' });
const use =
  (card: string, count = 1) =>
  (petId: string): Command => ({ type: 'home:use-card', petId, card, count });

describe('the time of a pet', () => {
  it('counts down to the due time, and says «finishing» from then on until the state says otherwise', async () => {
    const { look } = await played([[0, feed]]);
    const pet = await look();
    expect(petTime(pet, pet.startedAt)).toEqual({ phase: 'eating', leftMs: 4 * HOUR_MS, eaten: 0, isBoosted: false });
    expect(petTime(pet, pet.startedAt + HOUR_MS)).toMatchObject({ leftMs: 3 * HOUR_MS, eaten: 0.25 });
    expect(petTime(pet, pet.dueAt - 1)).toMatchObject({ phase: 'eating', leftMs: 1 });
    expect(petTime(pet, pet.dueAt)).toMatchObject({ phase: 'finishing', leftMs: 0, eaten: 1 });
    expect(petTime(pet, pet.dueAt + 9 * HOUR_MS)).toMatchObject({ phase: 'finishing', leftMs: 0 });
  });

  it('eats twice as much while a boost lasts', async () => {
    const { look } = await played([
      [0, feed],
      [0, use('boost')],
    ]);
    const pet = await look();
    expect(petTime(pet, pet.startedAt + HOUR_MS / 2)).toMatchObject({ eaten: 0.25, isBoosted: true });
    expect(petTime(pet, pet.startedAt + 2 * HOUR_MS)).toMatchObject({ eaten: 0.75, isBoosted: false });
  });

  it('is idle without a meal, and waits when its chain has no food', async () => {
    const { look } = await played([]);
    const pet = await look();
    expect(petTime(pet, 0).phase).toBe('idle');
    expect(petTime({ ...pet, waitingFor: 'dog-food' }, 0).phase).toBe('waiting');
  });

  it('ends a chain when the server does', async () => {
    const { homes, look } = await played([
      [0, feed],
      [0, use('boost')],
      [HOUR_MS / 4, use('auto-feed', 2)],
    ]);
    const pet = await look();
    const endsAt = chainEndsAt(pet, pet.autoFeeds);
    homes.nowMs = endsAt - 1;
    expect((await look()).food).toBe('dog-food');
    homes.nowMs = endsAt;
    expect((await look()).food).toBe('');
    expect((await look()).xp).toBe(30);
  });
});

describe('a preview', () => {
  const cards = Object.entries(defaultCatalogue.cards);

  it.each(
    cards.flatMap(([card, facts]) =>
      [0, HOUR_MS / 3, 3.5 * HOUR_MS].flatMap((laterMs) =>
        [false, true].map((isBoosted) => ({ card, facts, laterMs, isBoosted })),
      ),
    ),
  )(
    'says what the server’s quote says: $card after $laterMs ms, boosted: $isBoosted',
    async ({ card, facts, laterMs, isBoosted }) => {
      const { homes, petId, look } = await played([[0, feed], ...(isBoosted ? [[0, use('boost')] as const] : [])]);
      homes.nowMs += Math.min(laterMs, isBoosted ? 2.9 * HOUR_MS : laterMs);
      // A second boost is not in the starter items.
      homes.elsewhere('ann', [{ type: 'home:grant', items: { boost: 1 }, reason: 'test' }]);
      const preview = previewCard(await look(), facts, 1, homes.nowMs);
      const quote = await homes.quote('ann', { type: 'home:use-card', petId, card });
      if (!quote.ok) throw new Error(quote.error.code);
      const [event] = (quote.value as QuoteReply).events;
      if (event?.type !== 'card-used') throw new Error('no card');
      const played1 = event as unknown as {
        dueAt: number;
        wastedMs?: number;
        boostEndsAt?: number;
        autoFeeds?: number;
      };
      if (facts.effect !== 'repeat') expect(preview.endsAt).toBe(played1.dueAt);
      expect(preview.wastedMs).toBe(played1.wastedMs ?? 0);
      expect(preview.boostEndsAt).toBe(played1.boostEndsAt);
      expect(preview.autoFeeds).toBe(played1.autoFeeds);
    },
  );

  it('asks before more than a quarter of a card is wasted', async () => {
    const { homes, look } = await played([[0, feed]]);
    const pet = await look();
    const cut = defaultCatalogue.cards['speed-up'];
    if (!cut) throw new Error('no such card');
    expect(previewCard(pet, cut, 1, homes.nowMs + 2.5 * HOUR_MS)).toMatchObject({
      wastedMs: HOUR_MS / 2,
      isWasteful: false,
    });
    expect(previewCard(pet, cut, 1, homes.nowMs + 2.5 * HOUR_MS + 1)).toMatchObject({ isWasteful: true });
  });

  it('knows a boost of another rate as refused', async () => {
    const { homes, look } = await played([
      [0, feed],
      [0, use('boost')],
    ]);
    const other = { effect: 'rate', rate: 3, lastsMs: HOUR_MS } as const;
    expect(previewCard(await look(), other, 1, homes.nowMs).refusal).toBe('boost/other-rate');
  });
});

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
