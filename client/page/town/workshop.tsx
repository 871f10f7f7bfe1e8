import { useSignal } from '@preact/signals';
import { ItemArt } from '../../look/art/item-art.tsx';
import { ThingArt } from '../../look/art/thing-art.tsx';
import { Icon } from '../../look/icons.tsx';
import { placing } from '../game/deeds.ts';
import { lackOf, placeable, type SlotView, slotsOf, type TownRules, townItems, townThings } from '../game/town.ts';
import { useGame, useWords } from '../game/use-game.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import { ThingCard } from './thing-card.tsx';
import { type PlayedCard, WorkCardDialog } from './work-card-dialog.tsx';

/** Buildings, crops and items, all by the rules from the server. */
export const Workshop = ({ rules }: { readonly rules: TownRules }) => {
  const { home } = useGame();
  const played = useSignal<PlayedCard | undefined>(undefined);
  const cancelled = useSignal<string | undefined>(undefined);
  const things = townThings(home.value, rules);
  // An ended run cannot be cancelled, so its dialog closes.
  const running = things.find(({ state: { task } }) => task?.state === 'runs' && task.run === cancelled.value);
  const slots = slotsOf(rules, home.value, things);
  const missing = placeable(rules, things);
  return (
    <main class="home town">
      <Stock rules={rules} slots={slots} />
      <ul class="pets">
        {things.map((thing) => (
          <ThingCard
            key={thing.id}
            {...{ thing, things, rules, slots }}
            onCard={(card, run) => {
              played.value = { thing: thing.id, card, run };
            }}
            onCancel={(run) => {
              cancelled.value = run;
            }}
          />
        ))}
        {missing.map(({ name, takes }) => (
          <Site key={name} name={name} takes={takes} />
        ))}
      </ul>
      {played.value ? (
        <WorkCardDialog
          key={`${played.value.run} ${played.value.card}`}
          played={played.value}
          rules={rules}
          onClose={() => {
            played.value = undefined;
          }}
        />
      ) : undefined}
      {running && cancelled.value !== undefined ? (
        <CancelDialog
          key={cancelled.value}
          thing={running}
          run={cancelled.value}
          onClose={() => {
            cancelled.value = undefined;
          }}
        />
      ) : undefined}
    </main>
  );
};

/** The items, and the free and busy slots. */
const Stock = ({ rules, slots }: { readonly rules: TownRules; readonly slots: readonly SlotView[] }) => {
  const { home } = useGame();
  const { words, formats } = useWords();
  return (
    <section class="stock" aria-label={words.town.stock}>
      <ul class="stock-items">
        {townItems(rules).map((item) => (
          <li key={item} class="stock-item" data-stock={item}>
            <span class="stock-art">
              <ItemArt item={item} effect={effectOf(rules, item)} />
            </span>
            <span class="stock-count">{formats.number(home.value?.items[item] ?? 0)}</span> {formats.item(item)}
          </li>
        ))}
        {slots.map(({ name, busy, all }) => (
          <li key={name} class="stock-item stock-slot" data-slot={name}>
            <Icon name="hammer" size={18} />
            {formats.slot(name)}: {words.town.busy({ busy, all })}
          </li>
        ))}
      </ul>
    </section>
  );
};

/** A card is drawn by its effect; a card that finishes is drawn as its item. */
const effectOf = ({ cards }: TownRules, item: string) => {
  const effect = Object.hasOwn(cards, item) ? cards[item]?.effect : undefined;
  return effect === 'finish' ? undefined : effect;
};

interface SiteProps {
  readonly name: string;
  readonly takes: Readonly<Record<string, number>>;
}

/** A site for one more thing. */
const Site = ({ name, takes }: SiteProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const lack = lackOf(takes, game.home.value?.items ?? {});
  const whyNot = game.pending.value.has(placing(name))
    ? words.town.pending
    : lack && words.town.lacks({ ...lack, item: formats.item(lack.item) });
  return (
    <li class="pet-new site" data-site={name}>
      <span class="site-art">
        <ThingArt name={name} level={0} mood="rests" />
      </span>
      <button
        type="button"
        class="button"
        aria-disabled={whyNot !== undefined}
        title={whyNot}
        onClick={() => {
          if (whyNot === undefined) game.place(name);
          else game.toasts.show('no', whyNot);
        }}
      >
        <Icon name="plus" />
        {words.town.build({ name: formats.thing(name) })}
        <span class="act-cost">{Object.keys(takes).length > 0 ? formats.items(takes) : words.town.free}</span>
      </button>
    </li>
  );
};
