import { Protocol, SchemaSerializer } from '@colyseus/core';
import { Encoder } from '@colyseus/schema';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  fitBuffers,
  type StateBuffers,
  startWithSmallBuffers,
  stateBytesAtMost,
} from '../../../server/room/around-colyseus/lean-rooms.ts';
import { HomeState, PetState } from '../../../shared/home-state.ts';
import { feedingIdOf } from '../../../shared/pets/feeding.ts';

const LONGEST_ID = 'p'.repeat(128);
const LONGEST_NAME = 'n'.repeat(32);
const LARGE = Number.MAX_SAFE_INTEGER - 0.5;

const largestPet = (seq: number): PetState =>
  Object.assign(new PetState(), {
    id: `${LONGEST_ID}~p${seq}`,
    name: '🐕'.repeat(32),
    species: LONGEST_NAME,
    xp: LARGE,
    level: LARGE,
    feedingId: feedingIdOf(LONGEST_ID, seq),
    food: LONGEST_NAME,
    startedAt: LARGE,
    dueAt: LARGE,
    totalMs: LARGE,
    leftMs: LARGE,
    sinceAt: LARGE,
    boostRate: LARGE,
    boostEndsAt: LARGE,
    autoFeeds: LARGE,
    waitingFor: LONGEST_NAME,
  });

const largestHome = (pets: number, items: number): HomeState => {
  const state = new HomeState();
  Object.assign(state, { playerId: LONGEST_ID, epoch: 'e'.repeat(64), seq: LARGE });
  for (let at = 0; at < items; at += 1) state.items.set(`${at}`.padEnd(32, 'i'), LARGE);
  for (let at = 0; at < pets; at += 1) {
    const pet = largestPet(Number.MAX_SAFE_INTEGER - at);
    state.pets.set(pet.id, pet);
  }
  return state;
};

it.each([0, 1, 8, 100])('holds the largest home with %i pets', (pets) => {
  // One byte goes before it: which message it is.
  const whole = new Encoder(largestHome(pets, 30)).encodeAll({ offset: 1 }, new Uint8Array(1_000_000));

  expect(whole.byteLength).toBeGreaterThan(pets * 700);
  expect(whole.byteLength).toBeLessThanOrEqual(stateBytesAtMost({ pets, items: 30 }));
});

describe('a room that began with the buffers of an empty home', () => {
  const serializerOf = (state: HomeState, bytes: number) => {
    const serializer = new SchemaSerializer();
    serializer.reset(state);
    const buffers = serializer as unknown as StateBuffers & { readonly encoder: Encoder };
    Object.assign(buffers.encoder, { sharedBuffer: new Uint8Array(bytes) });
    buffers.fullEncodeBuffer = Uint8Array.of(Protocol.ROOM_STATE, ...new Uint8Array(bytes - 1));
    return { serializer, buffers };
  };

  it('gets larger ones before it sends more, and Colyseus makes none by itself', () => {
    const warned = vi.spyOn(console, 'warn');
    const state = largestHome(8, 30);
    const { serializer, buffers } = serializerOf(state, 1024);

    fitBuffers(buffers, state);
    const whole = serializer.getFullState();
    const patch = buffers.encoder.encode({ offset: 1 });

    expect(whole[0]).toBe(Protocol.ROOM_STATE);
    expect(whole.byteLength).toBeGreaterThan(8 * 700);
    expect(whole.buffer).toBe(buffers.fullEncodeBuffer.buffer);
    expect(patch.buffer).toBe(buffers.encoder.sharedBuffer.buffer);
    expect(warned).not.toHaveBeenCalled();
  });

  it('keeps those that fit, and gives those back that are much too large', () => {
    const { buffers } = serializerOf(new HomeState(), 16_384);
    fitBuffers(buffers, largestHome(8, 30));
    const { fullEncodeBuffer, encoder } = buffers;
    expect([fullEncodeBuffer.byteLength, encoder.sharedBuffer.byteLength]).toEqual(
      Array(2).fill(stateBytesAtMost({ pets: 8, items: 30 })),
    );
    fitBuffers(buffers, largestHome(8, 29));
    expect(buffers.fullEncodeBuffer).toBe(fullEncodeBuffer);
    expect(fullEncodeBuffer[0]).toBe(Protocol.ROOM_STATE);
  });

  it('has room for what Colyseus tells of the fields', () => {
    const warned = vi.spyOn(console, 'warn');
    const before = Encoder.BUFFER_SIZE;
    onTestFinished(() => {
      Encoder.BUFFER_SIZE = before;
    });
    startWithSmallBuffers();
    const serializer = new SchemaSerializer();
    serializer.reset(new HomeState());
    expect(serializer.handshake().byteLength).toBeGreaterThan(300);
    expect(warned).not.toHaveBeenCalled();
  });
});
