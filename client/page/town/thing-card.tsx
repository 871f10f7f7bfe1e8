import { useSignal } from '@preact/signals';
import { ThingArt } from '../../look/art/thing-art.tsx';
import { Icon } from '../../look/icons.tsx';
import type { Game } from '../game/game.ts';
import type { TownThing } from '../game/modules.ts';
import type { SlotView } from '../game/town.ts';
import { useGame, useTick, useWords } from '../game/use-game.ts';
import { ThingActions, type ThingCardProps } from './thing-actions.tsx';
import { type ThingView, viewOf } from './thing-view.ts';

const RUNNING_MS = 200;
const STILL_MS = 1000;

export const ThingCard = (props: ThingCardProps) => {
  const game = useGame();
  const { words } = useWords();
  const { thing, slots } = props;
  const nowMs = useSignal(game.nowMs());
  useTick(() => {
    nowMs.value = game.nowMs();
    return thing.dueAt > 0 ? RUNNING_MS : STILL_MS;
  });
  const view = viewOf(thing, nowMs.value);
  const isPending = game.pending.value.has(thing.id);
  const { name, level } = thing.state;
  return (
    <li class="thing" data-thing={thing.id} data-mood={view.mood} data-pending={isPending}>
      <span class="thing-art">
        <ThingArt name={name} level={level} mood={view.mood} />
      </span>
      <div class="thing-about">
        <div class="thing-title">
          <h2 class="pet-name">{game.thingName(thing.id)}</h2>
          <p class="pet-level">
            <Icon name="star" size={14} />
            {words.pet.level({ level })}
          </p>
        </div>
        <ThingStatus thing={thing} view={view} nowMs={nowMs.value} slots={slots} />
      </div>
      <ThingActions {...props} nowMs={nowMs.value - (nowMs.value % STILL_MS)} mood={view.mood} isPending={isPending} />
    </li>
  );
};

interface StatusProps {
  readonly thing: TownThing;
  readonly view: ThingView;
  readonly nowMs: number;
  readonly slots: readonly SlotView[];
}

const ThingStatus = ({ thing, view, nowMs, slots }: StatusProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const { boost } = thing.state;
  if (view.mood !== 'runs') return <p class="thing-phase">{statusOf(thing, slots, game)}</p>;
  const name = game.thingName(thing.id);
  const left = words.town.left({ name, left: formats.duration(view.leftMs) });
  const percent = Math.round(view.done * 100);
  return (
    <>
      <p class="thing-phase">{view.leftMs > 0 ? statusOf(thing, slots, game) : words.town.finishing}</p>
      {view.leftMs > 0 ? (
        <p class="thing-countdown" role="timer" aria-label={left}>
          {formats.countdown(view.leftMs)}
        </p>
      ) : undefined}
      <div
        class="pet-xp"
        role="progressbar"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <span class="thing-bar" style={{ inlineSize: `${percent}%` }} />
      </div>
      <p class="pet-due">
        {words.town.doneAt({ at: formats.clock(thing.dueAt, nowMs) })}
        {boost && view.boostLeftMs > 0
          ? ` · ${words.town.boost({ rate: boost.rate, left: formats.brief(view.boostLeftMs) })}`
          : undefined}
      </p>
    </>
  );
};

/** The thing's work, in words. */
const statusOf = ({ id, state: { task, held } }: TownThing, slots: readonly SlotView[], { language }: Game): string => {
  const [words, formats] = [language.words.value, language.formats.value];
  switch (task?.state) {
    case undefined:
      return held ? words.town.holds({ items: formats.items(held.items) }) : words.town.rests;
    case 'waits': {
      const place = slots.find(({ name }) => name === task.order.slot?.name)?.queue.indexOf(id) ?? -1;
      const waits = place < 0 ? words.town.waits : words.town.queue({ number: place + 1 });
      return `${formats.activity(task.order.activity)} · ${waits}`;
    }
    case 'runs':
      return formats.doing(task.order.activity);
    case 'holds':
      return words.town.holds({ items: formats.items(held?.items ?? task.order.gives) });
    default:
      return task satisfies never;
  }
};
