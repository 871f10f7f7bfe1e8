import { Icon } from './icons.tsx';

interface Props {
  /** Its purpose, for screen readers. */
  readonly label: string;
  readonly languages: Readonly<Record<string, { readonly lang: string; readonly ownName: string }>>;
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

/** The languages of a page, each named in itself. */
export const LanguageSwitch = ({ label, languages, chosen, onChoose }: Props) => (
  <label class="language">
    <span class="hidden-text">{label}</span>
    <Icon name="globe" size={18} />
    <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {Object.entries(languages).map(([name, { ownName, lang }]) => (
        <option key={name} value={name} lang={lang}>
          {ownName}
        </option>
      ))}
    </select>
  </label>
);
