import type { OpsPlayer } from '../../../shared/ops/ops-answers.ts';
import type { OpsExplanation, OpsStep } from '../../../shared/ops/ops-explanation.ts';
import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';

/** Columns as wide as they need to be. */
export const table = (head: readonly string[], rows: readonly (readonly unknown[])[]): readonly string[] => {
  const cells = [head, ...rows.map((row) => row.map((cell) => String(cell ?? '')))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

export const instant = (atMs: number | undefined): string =>
  atMs === undefined ? '-' : new Date(atMs).toISOString().replace('T', ' ').replace('Z', '');

/** `-1 h 30 min`; nothing smaller than what counts. */
export const lasting = (ms: number): string => {
  const sign = ms < 0 ? '-' : '';
  let left = Math.abs(ms);
  const parts: string[] = [];
  for (const [name, length] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const) {
    if (left < length) continue;
    parts.push(`${Math.floor(left / length)} ${name}`);
    left %= length;
  }
  return parts.length === 0 ? '0' : `${sign}${parts.slice(0, 3).join(' ')}`;
};

export const playerLines = (player: OpsPlayer): readonly string[] => {
  const { playerId, seq, lastAtMs, nowMs, frozenAtMs, items, pets, overdue } = player;
  return [
    `player ${playerId}, seq ${seq}, last event ${instant(lastAtMs)}`,
    ...(frozenAtMs === undefined ? [] : [`frozen since ${instant(frozenAtMs)}`]),
    ...(overdue > 0 ? [`${overdue} feedings are due and not completed yet`] : []),
    `items: ${
      Object.entries(items)
        .map(([item, count]) => `${count} ${item}`)
        .join(', ') || 'none'
    }`,
    ...table(
      ['pet', 'name', 'species', 'level', 'eats', 'due', 'in'],
      pets.map(({ petId, name, species, level, feeding, waitingFor }) => [
        ...[petId, name, species, level],
        feeding?.food ?? (waitingFor ? `waits for ${waitingFor}` : '-'),
        instant(feeding?.dueAtMs),
        feeding ? (feeding.isOverdue ? 'overdue' : lasting(feeding.dueAtMs - nowMs)) : '',
      ]),
    ),
  ];
};

export const timerTable = (timers: readonly OpsTimer[]): readonly string[] =>
  table(
    ['timer', 'kind', 'subject', 'owner', 'state', 'due', 'fires', 'tries'],
    timers.map(({ timerId, kind, subject, owner, state, dueAtMs, fireAtMs, attempt }) => [
      ...[timerId, kind, subject, owner, state, instant(dueAtMs), instant(fireAtMs), attempt],
    ]),
  );

export const explanationLines = (explained: OpsExplanation): readonly string[] => [
  `feeding ${explained.feedingId} of ${explained.petId}: ${explained.state}, due ${instant(explained.dueAtMs)}`,
  ...(explained.isCut ? ['older entries were folded away: it begins with what was kept'] : []),
  ...table(
    ['seq', 'at', 'what', 'effect', 'due then', 'because'],
    explained.steps.map(({ seq, at, type, effectMs, dueAfterMs, facts }) => [
      ...[seq, instant(at), type, effectMs === 0 ? '' : lasting(effectMs), instant(dueAfterMs), factsOf(facts)],
    ]),
  ),
  explained.isConsistent
    ? 'the timer says the same'
    : `THE TIMER SAYS ${instant(explained.timerDueAtMs)}: run kibble verify`,
];

const factsOf = (facts: OpsStep['facts']): string =>
  Object.entries(facts)
    .map(([name, value]) => {
      if (typeof value === 'string') return `${name} ${value}`;
      return name.endsWith('AtMs')
        ? `${name} ${instant(value)}`
        : `${name} ${name.endsWith('Ms') ? lasting(value) : value}`;
    })
    .join(', ');
