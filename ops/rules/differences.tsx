import type { Difference } from '../../shared/differences.ts';
import { texts } from './rules-words.ts';

const MOST_SHOWN = 200;
/** The longest value in one line. */
const LONGEST = 120;

export const DifferencesTable = ({ differences }: { readonly differences: readonly Difference[] }) => (
  <>
    <table class="table rules-differences">
      <thead>
        <tr>
          <th scope="col">{texts().path}</th>
          <th scope="col">{texts().before}</th>
          <th scope="col">{texts().after}</th>
        </tr>
      </thead>
      <tbody>
        {differences.slice(0, MOST_SHOWN).map((one) => (
          <tr key={one.path} data-difference={one.path}>
            <td data-label={texts().path}>
              <code>{one.path || texts().whole}</code>
            </td>
            <td data-label={texts().before}>
              <code class="was">{shown(one.before)}</code>
            </td>
            <td data-label={texts().after}>
              <code class="becomes">{shown(one.after)}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {differences.length > MOST_SHOWN ? (
      <p class="soft">{texts().more({ count: differences.length - MOST_SHOWN })}</p>
    ) : undefined}
  </>
);

const IN_DIALOG = 12;

/** The differences in sentences, for the dialog that changes rules. */
export const differenceLines = (differences: readonly Difference[]): readonly string[] => {
  if (differences.length === 0) return [texts().same];
  const lines = differences
    .slice(0, IN_DIALOG)
    .map(({ path, before, after }) =>
      texts().becomes({ path: path || texts().whole, before: shown(before), after: shown(after) }),
    );
  return differences.length > IN_DIALOG ? [...lines, texts().more({ count: differences.length - IN_DIALOG })] : lines;
};

const shown = (value: unknown): string => {
  if (value === undefined) return '—';
  const json = JSON.stringify(value);
  return json.length > LONGEST ? `${json.slice(0, LONGEST)}…` : json;
};
