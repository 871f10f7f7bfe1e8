import { KEPT_LANGUAGE, keep } from '../../client/look/kept.ts';
import { LanguageSwitch } from '../../client/look/language-switch.tsx';
import { isLanguage, language, languages, speak, words } from '../words/words.ts';

/** The language of this page, and of the playable page at the same address. */
export const LanguageChoice = () => (
  <LanguageSwitch label={words().language} languages={languages} chosen={language.value} onChoose={choose} />
);

const choose = (name: string): void => {
  if (!isLanguage(name)) return;
  // Without the network the language stays, and can be chosen again.
  speak(name).then(
    () => keep(KEPT_LANGUAGE, language.value),
    () => undefined,
  );
};
