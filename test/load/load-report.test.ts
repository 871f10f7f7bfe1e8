import { build } from 'hdr-histogram-js';
import { expect, it } from 'vitest';
import { reportLines } from '../../load/load-lines.ts';
import { isWell, reportOf } from '../../load/load-report.ts';
import { Measures } from '../../load/measures.ts';
import { petsPlay } from '../../load/pets-play.ts';
import type { LoadOptions } from '../../load/run-load.ts';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';

it('counts the players that played: a run in which some never joined is not well, and says so', () => {
  const measures = new Measures(() => build());
  Object.assign(measures, { joined: 2, sent: 5, finished: 5, accepted: 5 });
  const play = petsPlay(defaultCatalogue);
  const options: LoadOptions = { url: 'http://x', players: 2, perSec: 5, rampUpMs: 0, forMs: 1000, seed: 1, play };
  const outcome = { run: 'r', measures, measuredMs: 1000, unsent: 0, wasStopped: false };
  expect(isWell(reportOf(options, outcome))).toBe(true);
  const asked = reportOf({ ...options, players: 9 }, outcome);
  expect(isWell(asked)).toBe(false);
  expect(reportLines(asked, '')[0]).toContain('by ONLY 2 of 9 players');
});
