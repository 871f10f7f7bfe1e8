import path from 'node:path';
import { childMeasurement } from '../harness/child-measurement.ts';
import { type Job, Measurement } from './measure/measurement.ts';

const AT_MOST_MS = 300_000;

/** Each contender in a fresh process. Never throws. */
export const measureInOwnProcess = async (job: Job): Promise<Measurement> => {
  const { contender, pending, round } = job;
  const { message, end } = await childMeasurement(path.join(import.meta.dirname, 'measure-one.ts'), job, AT_MOST_MS);
  const { success, data } = Measurement.safeParse(message);
  const failed = `ended with ${end} before it had measured`;
  return success ? data : { contender, pending, round, settings: '', figures: {}, failed };
};
