import type { Violation } from './evidence/evidence.ts';
import type { ServerNode } from './world/node.ts';
import { OPS_TOKEN } from './world/ops-token.ts';

const HEALED = /^kibble_timer_rows_healed_total\{difference="(\w+)"\} (\d+)$/gm;

/**
 * Home and timer rows are written by one transaction, so no fault of these scenarios explains a row that had to be healed.
 * A process that was killed took its count along.
 */
export const healedRows = async (nodes: readonly ServerNode[]): Promise<readonly Violation[]> => {
  const running = nodes.filter(({ isRunning }) => isRunning);
  const violations = await Promise.all(running.map(healedBy));
  return violations.flat();
};

const healedBy = async ({ name, address }: ServerNode): Promise<readonly Violation[]> => {
  const response = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${OPS_TOKEN}` } });
  const counts = [...(await response.text()).matchAll(HEALED)];
  if (counts.length === 0)
    return [{ playerId: name, what: `its metrics (${response.status}) do not count healed rows` }];
  return counts
    .filter(([, , count]) => Number(count) > 0)
    .map(([, difference, count]) => ({ playerId: name, what: `healed ${count} timer rows: ${difference}` }));
};
