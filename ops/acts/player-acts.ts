import type { OpsPet, OpsPlayer } from '../../shared/ops/ops-answers.ts';
import { hrefOf } from '../session/route.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { type Act, actOn, tellReplied } from './act.ts';

/** What operators do to a player, everyday things first. */
export const playerActs = ({ playerId, frozenAtMs, nowMs }: OpsPlayer): readonly Act[] => {
  const on = { parts: { playerId }, on: playerId, target: `player:${playerId}` };
  const stock = [{ type: 'items', name: 'items', label: words().player.items }] as const;
  return [
    actOn({ route: 'grant', ...on, words: words().acts.grant, fields: stock, tell: tellReplied(nowMs) }),
    actOn({ route: 'take', ...on, words: words().acts.take, fields: stock, tell: tellReplied(nowMs) }),
    frozenAtMs === undefined
      ? actOn({ route: 'freeze', ...on, words: words().acts.freeze, fields: [], tell: tellReplied(nowMs) })
      : actOn({ route: 'unfreeze', ...on, words: words().acts.unfreeze, fields: [], tell: tellReplied(nowMs) }),
    actOn({
      route: 'merge',
      ...on,
      words: words().acts.merge,
      isDanger: true,
      isFinal: true,
      fields: [
        { type: 'text', name: 'into', label: words().acts.merge.into },
        { type: 'check', name: 'isNew', label: words().acts.merge.isNew },
      ],
      tell: ({ guest, pets, isAboveLimit }) => [
        ...tellReplied(nowMs)(guest),
        ...Object.entries(pets).map(([from, to]) => words().tell.becomes({ from, to })),
        ...(isAboveLimit ? [words().tell.aboveLimit] : []),
      ],
    }),
    actOn({
      route: 'erase',
      parts: on.parts,
      on: playerId,
      words: words().acts.erase,
      isDanger: true,
      isFinal: true,
      mustType: playerId,
      fields: [],
      tell: ({ removed, related }) => [
        ...Object.entries(removed)
          .filter(([, count]) => count > 0)
          .map(([table, count]) => words().tell.removed({ count: number(count), table })),
        ...(related.length > 0 ? [words().tell.related({ ids: related.join(words().list) })] : []),
      ],
      leadsTo: () => hrefOf([]),
    }),
  ];
};

/** What operators do to the feeding of a pet; none when it is not eating. */
export const feedingActs = (playerId: string, { petId, name, feeding }: OpsPet, nowMs: number): readonly Act[] => {
  if (!feeding) return [];
  const { feedingId, dueAtMs } = feeding;
  const on = {
    parts: { playerId },
    on: `${name} · ${feedingId}`,
    target: `player:${playerId}`,
    body: (values: object) => ({ ...values, petId, feedingId }),
  };
  return [
    actOn({
      route: 'shift',
      ...on,
      words: words().acts.shift,
      fields: [{ type: 'shift', name: 'byMs', label: words().acts.shift.by }],
      tell: tellReplied(nowMs, dueAtMs),
    }),
    actOn({
      route: 'stop',
      ...on,
      words: words().acts.stop,
      isDanger: true,
      isFinal: true,
      fields: [],
      tell: tellReplied(nowMs),
    }),
  ];
};
