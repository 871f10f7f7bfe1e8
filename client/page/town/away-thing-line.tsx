import { ThingArt } from '../../look/art/thing-art.tsx';
import { Icon } from '../../look/icons.tsx';
import type { AwayThing } from '../game/away.ts';
import { useGame, useWords } from '../game/use-game.ts';

/** A thing's work while the player was away, and what it holds now. */
export const AwayThingLine = ({ done: { thing, times, level, items } }: { readonly done: AwayThing }) => {
  const game = useGame();
  const { words, formats } = useWords();
  const name = game.thingName(thing);
  const shown = game.home.value?.things.town?.[thing];
  const { task, held } = shown?.state ?? {};
  const ready = held?.items ?? (task?.state === 'holds' ? task.order.gives : undefined);
  return (
    <li class="away-pet">
      {shown ? (
        <span class="away-art">
          <ThingArt name={shown.state.name} level={shown.state.level} mood={task?.state ?? 'rests'} />
        </span>
      ) : undefined}
      <div>
        {Object.entries(times).map(([activity, count]) => (
          <p key={activity} class="away-main">
            {words.town.away.done({ name, activity: formats.activity(activity), times: count })}
          </p>
        ))}
        {level === undefined ? undefined : (
          <p class="away-level">
            <Icon name="star" size={16} />
            {words.town.news.level({ name, level })}
          </p>
        )}
        {Object.keys(items).length > 0 ? <p>{words.town.away.brought({ items: formats.items(items) })}</p> : undefined}
        {ready ? (
          <p class="away-waits">
            <Icon name="basket" size={16} />
            {words.town.holds({ items: formats.items(ready) })}
          </p>
        ) : undefined}
      </div>
    </li>
  );
};
