import { Icon } from '../../client/look/icons.tsx';
import type { OpsHit } from '../../shared/ops/ops-answers.ts';
import { hrefOf, playerHref, runHref, timerHref } from '../session/route.ts';
import { words } from '../words/words.ts';
import { Mark } from './states.tsx';

/** The items of a list. */
export const Hits = ({ hits }: { readonly hits: readonly OpsHit[] }) =>
  hits.map((hit) => (
    <li key={`${hit.playerId} ${hit.type} ${hit.id}`}>
      <HitLink hit={hit} />
    </li>
  ));

/** Runs and timers lead to their explanation at once. */
const HitLink = ({ hit }: { readonly hit: OpsHit }) => {
  const { type, id, module, label, playerId } = hit;
  return (
    <a class="hit" href={hrefs[type](hit)} data-hit={type}>
      <Mark tone={tones[type]}>{module ?? words().search.types[type]}</Mark>
      <span class="hit-id">{type === 'thing' ? `${playerId} ${id}` : id}</span>
      <span class="soft hit-label">
        {type === 'run' || type === 'timer' ? words().search.why : label === id ? '' : label}
      </span>
      <Icon name="next" size={16} />
    </a>
  );
};

const hrefs: Readonly<Record<OpsHit['type'], (hit: OpsHit) => string>> = {
  player: ({ id }) => playerHref(id),
  thing: ({ id, playerId, module }) => hrefOf(['players', playerId], { module, thing: id }),
  run: ({ id, playerId, module = '' }) => runHref(playerId, module, id),
  timer: ({ id }) => timerHref(id),
};
const tones = { player: 'accent', thing: 'leaf', run: 'honey', timer: 'sky' } as const;
