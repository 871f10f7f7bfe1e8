import type { ComponentChildren } from 'preact';
import type { Card } from '../../../shared/pets/catalogue.ts';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { ItemArt } from '../../look/art/item-art.tsx';
import type { Game } from '../game/game.ts';
import { openDialog, useGame, useWords } from '../game/use-game.ts';

/** Food and cards for the chosen pet. */
export const Tray = () => {
  const game = useGame();
  const { words, formats } = useWords();
  const pet = game.home.value?.pets.find(({ id }) => id === game.chosen.value);
  const rules = game.rules.value;
  if (!rules) return null;
  return (
    <section class="tray" aria-label={words.tray.nobody}>
      <h2 class="tray-title">{pet ? words.tray.title({ name: pet.name }) : words.tray.nobody}</h2>
      <TrayGroup title={words.tray.foods}>
        {Object.entries(rules.foods).map(([food, facts]) => (
          <TrayItem
            key={food}
            item={food}
            does={formats.brief(facts.workMs)}
            gives={words.tray.xp({ xp: facts.xp })}
            whyNot={pet ? whyNoFood(pet, food, game) : words.tray.nobody}
            onUse={() => pet && game.feed(pet, food)}
          >
            <ItemArt item={food} />
          </TrayItem>
        ))}
      </TrayGroup>
      <TrayGroup title={words.tray.cards}>
        {Object.entries(rules.cards).map(([card, facts]) => (
          <TrayItem
            key={card}
            item={card}
            does={doesCard(facts, game)}
            whyNot={pet ? whyNoCard(pet, card, game) : formats.item(card)}
            onUse={() => {
              if (pet) openDialog.value = { kind: 'card', pet, card };
            }}
          >
            <ItemArt item={card} effect={facts.effect} />
          </TrayItem>
        ))}
      </TrayGroup>
    </section>
  );
};

const TrayGroup = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="tray-group">
    <h3 class="tray-heading">{title}</h3>
    <ul class="tray-items">{children}</ul>
  </div>
);

interface TrayItemProps {
  readonly item: string;
  readonly does: string;
  readonly gives?: string;
  /** Undefined: it can be used now. */
  readonly whyNot: string | undefined;
  readonly onUse: () => void;
  readonly children: ComponentChildren;
}

const TrayItem = ({ item, does, gives, whyNot, onUse, children }: TrayItemProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const count = game.home.value?.items[item] ?? 0;
  const isOnItsWay = game.pending.value.get(game.chosen.value) === item;
  const use = (): void => {
    if (whyNot === undefined) onUse();
    else game.toasts.show('no', whyNot);
  };
  return (
    <li>
      <button
        type="button"
        class="item"
        data-item={item}
        data-pending={isOnItsWay}
        aria-disabled={whyNot !== undefined}
        title={whyNot}
        onClick={use}
      >
        <span class="item-picture">
          {children}
          <span class="item-count">
            <span aria-hidden="true">{formats.number(count)}</span>
            <span class="hidden-text">{words.tray.has({ count })}</span>
          </span>
        </span>
        <span class="item-name">{formats.item(item)}</span>
        <span class="item-does">
          {does}
          {gives ? <span class="item-gives"> · {gives}</span> : undefined}
        </span>
      </button>
    </li>
  );
};

const doesCard = (card: Card, { language }: Game): string => {
  const { tray } = language.words.value;
  const { brief } = language.formats.value;
  switch (card.effect) {
    case 'cut':
      return tray.cut({ by: brief(card.workMs) });
    case 'rate':
      return tray.rate({ rate: card.rate, lasts: brief(card.lastsMs) });
    case 'repeat':
      return tray.repeat({ times: card.times });
    default:
      return card satisfies never;
  }
};

const whyNoFood = (pet: ShownPet, food: string, game: Game): string | undefined => {
  const { whyNot } = game.language.words.value.tray;
  if (game.pending.value.has(pet.id)) return whyNot.pending;
  if (pet.food !== '') return whyNot.eating({ name: pet.name });
  return (game.home.value?.items[food] ?? 0) < 1 ? whyNot.none : undefined;
};

const whyNoCard = (pet: ShownPet, card: string, game: Game): string | undefined => {
  const { whyNot } = game.language.words.value.tray;
  if (game.pending.value.has(pet.id)) return whyNot.pending;
  if ((game.home.value?.items[card] ?? 0) < 1) return whyNot.none;
  return pet.food === '' ? whyNot.notEating({ name: pet.name }) : undefined;
};
