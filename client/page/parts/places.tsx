import { signal } from '@preact/signals';
import { Icon } from '../../look/icons.tsx';
import { useGame, useWords } from '../game/use-game.ts';

type Place = 'pets' | 'town';

/** The page's present place. */
export const shownPlace = signal<Place>('pets');

/** The links between the pets and the workshop, if the rules have one. */
export const Places = () => {
  const { rules } = useGame();
  const { words } = useWords();
  if (!rules.value?.town) return null;
  const texts: readonly (readonly [Place, string])[] = [
    ['pets', words.town.pets],
    ['town', words.town.title],
  ];
  return (
    <nav class="places" aria-label={words.town.places}>
      {texts.map(([name, text]) => (
        <button
          key={name}
          type="button"
          class="place"
          aria-current={shownPlace.value === name ? 'page' : undefined}
          onClick={() => {
            shownPlace.value = name;
          }}
        >
          <Icon name={name === 'pets' ? 'paw' : 'hammer'} size={18} />
          {text}
        </button>
      ))}
    </nav>
  );
};
