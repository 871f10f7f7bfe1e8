import { until } from '../play/within.ts';
import type { ServerNode } from './node.ts';

/** So many calls of a kind a process has under way. */
const AT_ONCE = 16;
const BEGIN_MS = 10_000;

/** Schedules refunds for now; resolves when this worker has as many calls under way as it can have, none of which ends. */
export const hang = async (worker: ServerNode): Promise<void> => {
  await ask(worker, 'POST', '/refunds');
  await until('calls hang', BEGIN_MS, async () => Number(await ask(worker, 'GET', '/hanging')) >= AT_ONCE);
};

const ask = async (node: ServerNode, method: string, path: string): Promise<string> => {
  const response = await fetch(`${node.address}${path}`, { method });
  if (!response.ok) throw new Error(`${node.name} answers ${response.status} to ${path}: ${await response.text()}`);
  return response.text();
};
