import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StrategiesResult } from './measurement.ts';

const file = path.join(import.meta.dirname, '../../results/strategies.json');

export const recordStrategies = (result: StrategiesResult): void =>
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);

/** As it was last recorded. */
export const recordedStrategies = (): StrategiesResult =>
  StrategiesResult.parse(JSON.parse(readFileSync(file, 'utf8')));
