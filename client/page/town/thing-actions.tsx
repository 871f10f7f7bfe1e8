import { ItemArt } from '../../look/art/item-art.tsx';
import type { ThingMood } from '../../look/art/thing-mood.ts';
import { Icon, type IconName } from '../../look/icons.tsx';
import type { TownThing } from '../game/modules.ts';
import { costOf, lackOf, movedIn, needOf, needsAt, opensInMs, type SlotView, type TownRules } from '../game/town.ts';
import { useGame, useWords } from '../game/use-game.ts';

export interface ThingCardProps {
  readonly thing: TownThing;
  readonly things: readonly TownThing[];
  readonly rules: TownRules;
  readonly slots: readonly SlotView[];
  /** The player opens a card, for this run. */
  readonly onCard: (card: string, run: string) => void;
  /** The player wants to cancel this run. */
  readonly onCancel: (run: string) => void;
}

interface ActionsProps extends ThingCardProps {
  /** Of this second: a part is drawn again only when what it is given changes. */
  readonly nowMs: number;
  readonly mood: ThingMood;
  readonly isPending: boolean;
}

/** The actions that the rules allow a thing now. What is auto was begun by its placing, unless by earlier rules, or stopped. */
export const ThingActions = (props: ActionsProps) => {
  const game = useGame();
  const { words } = useWords();
  const { thing, mood, isPending, onCancel } = props;
  const { task } = thing.state;
  return (
    <fieldset class="pet-actions thing-actions">
      <legend class="hidden-text">{words.town.actions({ name: game.thingName(thing.id) })}</legend>
      <Orders {...props} />
      {mood === 'runs' ? <Cards {...props} /> : undefined}
      {task?.state === 'runs' && !task.order.isAuto ? (
        <Deed icon="stop" text={words.town.cancel.open} isPending={isPending} onDo={() => onCancel(task.run)} />
      ) : undefined}
      {mood === 'waits' ? <Places {...props} /> : undefined}
      {mood === 'waits' && !task?.order.isAuto ? (
        <Deed icon="undo" text={words.town.takeBack} isPending={isPending} onDo={() => game.takeBack(thing)} />
      ) : undefined}
      {mood === 'holds' || thing.state.held ? (
        <Deed icon="basket" text={words.town.collect} isPending={isPending} onDo={() => game.collect(thing)} isMain />
      ) : undefined}
    </fieldset>
  );
};

interface DeedProps {
  readonly icon: IconName;
  readonly text: string;
  readonly isPending: boolean;
  readonly isMain?: boolean;
  readonly onDo: () => void;
}

const Deed = ({ icon, text, isPending, isMain = false, onDo }: DeedProps) => (
  <button
    type="button"
    class={isMain ? 'button button-main' : 'button'}
    aria-disabled={isPending}
    onClick={() => isPending || onDo()}
  >
    <Icon name={icon} size={18} />
    {text}
  </button>
);

/** Another place in the queue, if other things wait too. */
const Places = ({ thing, slots, isPending }: ActionsProps) => {
  const game = useGame();
  const { words } = useWords();
  const slot = slots.find(({ queue }) => queue.includes(thing.id));
  if (!slot || slot.queue.length < 2) return null;
  const at = slot.queue.indexOf(thing.id);
  const move = (by: number) => () => game.reorder(thing, slot.name, movedIn(slot.queue, at, by));
  return (
    <>
      {at > 0 ? <Deed icon="up" text={words.town.earlier} isPending={isPending} onDo={move(-1)} /> : undefined}
      {at < slot.queue.length - 1 ? (
        <Deed icon="down" text={words.town.later} isPending={isPending} onDo={move(1)} />
      ) : undefined}
    </>
  );
};

const Orders = ({ thing, things, rules, nowMs, mood, isPending }: ActionsProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const { name, level } = thing.state;
  const items = game.home.value?.items ?? {};
  // An activity without duration is possible beside the thing's other work.
  const isResting = mood === 'rests';
  const own = Object.entries(rules.activities).filter(
    ([, { on, workMs, consumes }]) => on.includes(name) && (isResting || !(workMs ?? consumes)),
  );
  const able = own.flatMap(([activity, facts]) => {
    const cost = costOf(facts, level);
    return cost ? [{ activity, facts, ...cost }] : [];
  });
  if (own.length > 0 && able.length === 0) return <p class="preview-soft">{words.town.highest}</p>;
  return able.map(({ activity, facts, workMs, takes }) => {
    const needs = needsAt(facts, level);
    const need = needOf(needs, things);
    // Items that are taken at the start may be awaited: by what is auto, or in the queue.
    const lack =
      lackOf(needs.items ?? {}, items) ??
      (facts.auto || (facts.slot && rules.queueTakes === 'start') ? undefined : lackOf(takes, items));
    const missing =
      (need && words.town.needs({ ...need, name: formats.thing(need.name) })) ??
      (lack && words.town.lacks({ ...lack, item: formats.item(lack.item) }));
    const whyNot = isPending ? words.town.pending : missing;
    // The server decides: it sends the page no message when an activity opens or closes.
    const inMs = opensInMs(rules, activity, nowMs);
    const closed = inMs === null ? words.town.over : inMs && words.town.opens({ left: formats.brief(inMs) });
    const costs = [Object.keys(takes).length > 0 && formats.items(takes), workMs > 0 && formats.brief(workMs)];
    return (
      <button
        key={activity}
        type="button"
        class="button act"
        data-activity={activity}
        aria-disabled={whyNot !== undefined}
        title={whyNot}
        onClick={() => {
          if (whyNot === undefined) game.order(thing, activity);
          else game.toasts.show('no', whyNot);
        }}
      >
        {formats.activity(activity)}
        <span class="act-cost">{missing ?? (closed || costs.filter(Boolean).join(' · '))}</span>
      </button>
    );
  });
};

/** A player's cards for the running order: each is shown before it is played. */
const Cards = ({ thing, rules, isPending, onCard }: ActionsProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const { task } = thing.state;
  if (task?.state !== 'runs') return null;
  const fitting = Object.entries(rules.cards).filter(
    ([, { effect }]) => effect !== 'repeat' || task.order.isRepeatable,
  );
  return fitting.map(([card, { effect }]) => {
    const have = game.home.value?.items[card] ?? 0;
    const none = words.town.card.noneLeft({ card: formats.item(card) });
    return (
      <button
        key={card}
        type="button"
        class="button act-card"
        data-card={card}
        aria-disabled={have < 1 || isPending}
        title={have < 1 ? none : undefined}
        onClick={() => {
          if (have < 1) game.toasts.show('no', none);
          else if (!isPending) onCard(card, task.run);
        }}
      >
        <span class="act-art">
          <ItemArt item={card} effect={effect === 'finish' ? undefined : effect} />
        </span>
        {formats.item(card)}
      </button>
    );
  });
};
