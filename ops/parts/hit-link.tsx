import { Icon } from '../../client/look/icons.tsx';
import type { OpsHit } from '../../shared/ops/ops-answers.ts';
import { feedingHref, hrefOf, playerHref, timerHref } from '../session/route.ts';
import { words } from '../words/words.ts';
import { Mark } from './states.tsx';

/** Runs and timers lead to their explanation at once. */
export const HitLink = ({ hit: { type, id, playerId, label } }: { readonly hit: OpsHit }) => (
  <a class="hit" href={hrefs[type](id, playerId)} data-hit={type}>
    <Mark tone={tones[type]}>{words().search.types[type]}</Mark>
    <span class="hit-id">{id}</span>
    <span class="soft hit-label">
      {type === 'run' || type === 'timer' ? words().search.why : label === id ? '' : label}
    </span>
    <Icon name="next" size={16} />
  </a>
);

const hrefs: Readonly<Record<OpsHit['type'], (id: string, playerId: string) => string>> = {
  player: (id) => playerHref(id),
  thing: (id, playerId) => hrefOf(['players', playerId], { pet: id }),
  run: (id) => feedingHref(id),
  timer: (id) => timerHref(id),
};
const tones = { player: 'accent', thing: 'leaf', run: 'honey', timer: 'sky' } as const;
