import { KEPT_LANGUAGE, keep } from '../../client/look/kept.ts';
import { LanguageSwitch } from '../../client/look/language-switch.tsx';
import { isLanguage, language, languages, speak, words } from '../words/words.ts';

/** Of this page, and of the playable one at the same address. */
export const LanguageChoice = () => (
  <LanguageSwitch label={words().language} languages={languages} chosen={language.value} onChoose={choose} />
);

const choose = (name: string): void => {
  if (!isLanguage(name)) return;
  // Without the network it stays as it is, and can be chosen again.
  speak(name).then(
    () => keep(KEPT_LANGUAGE, name),
    () => undefined,
  );
};
