import type { OpsPlayer } from '../../shared/ops/ops-answers.ts';
import type { OpsThing } from '../../shared/ops/ops-thing.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { thingActs } from '../acts/acts.ts';
import { Empty, Panel } from '../parts/states.tsx';
import { Boost, DueOf } from '../parts/thing-due.tsx';
import { place, thingHref } from '../session/route.ts';
import { thingText } from '../words/event-text.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().player;

/** All things of a player, with a panel for each module. */
export const ThingTable = ({ player }: { readonly player: OpsPlayer }) => {
  const byModule = Map.groupBy(player.things, ({ module }) => module);
  if (byModule.size === 0) {
    return (
      <Panel title={texts().things}>
        <Empty title={texts().noThings} />
      </Panel>
    );
  }
  return (
    <>
      {[...byModule].map(([module, things]) => (
        <Panel key={module} title={module} hint={number(things.length)}>
          <ul class="things" data-module={module}>
            {things.map((thing) => (
              <ThingRow key={thing.id} thing={thing} player={player} />
            ))}
          </ul>
        </Panel>
      ))}
    </>
  );
};

interface RowProps {
  readonly thing: OpsThing;
  readonly player: OpsPlayer;
}

const ThingRow = ({ thing, player: { playerId, nowMs } }: RowProps) => {
  const { module, id, title, run, state } = thing;
  const { query } = place.value;
  const isWanted = query.thing === id && (query.module === undefined || query.module === module);
  const about = thingText(module, state, nowMs);
  return (
    <li class={isWanted ? 'thing thing-wanted' : 'thing'} data-thing={id}>
      <div class="thing-who">
        <h3>{title ?? id}</h3>
        {about === '' ? undefined : <p class="soft">{about}</p>}
        {title === undefined ? undefined : <code class="soft">{id}</code>}
      </div>
      <div class="thing-what">
        <DueOf thing={thing} nowMs={nowMs} />
        <Boost work={thing.work} nowMs={nowMs} />
      </div>
      <div class="thing-acts">
        <a
          class="button button-main"
          href={thingHref(playerId, module, id)}
          aria-label={texts().whyOf({ name: title ?? id })}
          data-why={run}
        >
          {texts().why}
        </a>
        <ActButtons acts={thingActs({ playerId, thing, nowMs })} label={title ?? id} isQuiet />
      </div>
    </li>
  );
};
