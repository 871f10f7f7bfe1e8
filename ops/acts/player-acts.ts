import type { OpsPlayer } from '../../shared/ops/ops-answers.ts';
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
      tell: ({ guest, moved, left, aboveLimit }) => [
        ...tellReplied(nowMs)(guest),
        ...moved.map(({ thing, becomes }) => words().tell.becomes({ from: thing, to: becomes })),
        ...left.map(({ module, thing }) => words().tell.left({ module, thing })),
        ...aboveLimit.map(({ module, have, limit }) => words().tell.aboveLimit({ module, have, limit })),
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
