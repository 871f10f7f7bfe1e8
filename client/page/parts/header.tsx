import { Icon } from '../../look/icons.tsx';
import { LanguageSwitch } from '../../look/language-switch.tsx';
import { languages } from '../game/language.ts';
import { useGame, useWords } from '../game/use-game.ts';

export const Header = () => {
  const game = useGame();
  const { words, formats } = useWords();
  const { lang, choose } = game.language;
  return (
    <header class="header">
      <div class="brand">
        <span class="brand-mark">
          <Icon name="bowl" size={26} />
        </span>
        <div>
          <h1 class="brand-name">{words.title}</h1>
          <p class="brand-line">{words.tagline}</p>
        </div>
      </div>
      <div class="header-side">
        {game.isFast.value ? (
          <p class="badge" title={words.fastHint({ meal: formats.duration(game.longestMealMs.value) })}>
            <Icon name="bolt" size={16} />
            {words.fast}
            <span class="hidden-text">{words.fastHint({ meal: formats.duration(game.longestMealMs.value) })}</span>
          </p>
        ) : undefined}
        <LanguageSwitch label={words.language} languages={languages} chosen={lang.value} onChoose={choose} />
      </div>
    </header>
  );
};
