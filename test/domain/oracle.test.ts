import { describe, expect, it } from 'vitest';
import type { HomeEvent } from '../../shared/pets/protocol.ts';
import { catalogueArbitrary, historyArbitrary } from '../../testing/arbitraries.ts';
import { play, REST_MS, START_AT_MS } from '../../testing/play.ts';
import { type Line, Oracle } from '../support/properties/oracle.ts';
import { holds } from '../support/properties/property-runs.ts';

const lineOf = (event: HomeEvent): Line => ({
  type: event.type,
  at: event.at,
  pet: 'petId' in event ? event.petId : '',
  food: 'food' in event ? event.food : '',
});

describe('the rules', () => {
  it('give the log, the answers and the stock of an oracle that eats millisecond by millisecond', () => {
    holds([catalogueArbitrary, catalogueArbitrary, historyArbitrary], (catalogue, laterCatalogue, history) => {
      const played = play(catalogue, history, { laterCatalogue });
      const oracle = new Oracle(catalogue, START_AT_MS);
      let nowMs = START_AT_MS;
      for (const turn of played.turns) {
        nowMs = turn.nowMs;
        oracle.waitUntil(nowMs);
        expect(oracle.play(turn.catalogue, turn.command)).toBe(turn.judgement.decision.ok);
      }
      expect(oracle.stock).toEqual(played.home.items);
      oracle.waitUntil(nowMs + REST_MS);
      expect(oracle.lines).toEqual(played.log.map(lineOf));
      expect(oracle.stock).toEqual(played.rested.items);
    });
  });
});
