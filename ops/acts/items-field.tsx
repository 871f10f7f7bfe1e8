import { useId, useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import { modules } from '../words/module-words.ts';
import { words } from '../words/words.ts';

interface Row {
  readonly id: number;
  readonly item: string;
  readonly count: number;
}

interface Props {
  readonly label: string;
  readonly onChange: (items: Readonly<Record<string, number>>) => void;
}

/** Items and their counts. The modules' items are proposed; the server checks others. */
export const ItemsField = ({ label, onChange }: Props) => {
  const [rows, setRows] = useState<readonly Row[]>([{ id: 0, item: '', count: 1 }]);
  const known = modules.value.flatMap(({ items }) => items);
  const listId = useId();
  const change = (next: readonly Row[]): void => {
    setRows(next);
    // An item may stand in two rows.
    const sums: Record<string, number> = {};
    for (const { item, count } of next) sums[item] = (sums[item] ?? 0) + count;
    onChange(sums);
  };
  const edit = (id: number, part: Partial<Row>): void =>
    change(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <datalist id={listId}>
        {known.map((item) => (
          <option key={item} value={item} />
        ))}
      </datalist>
      {rows.map((row) => (
        <RowField
          key={row.id}
          row={row}
          listId={listId}
          onChange={(part) => edit(row.id, part)}
          onRemove={rows.length > 1 ? () => change(rows.filter(({ id }) => id !== row.id)) : undefined}
        />
      ))}
      <button
        type="button"
        class="button button-quiet add-item"
        onClick={() => change([...rows, { id: (rows.at(-1)?.id ?? 0) + 1, item: '', count: 1 }])}
      >
        <Icon name="plus" size={16} />
        {words().act.addItem}
      </button>
    </fieldset>
  );
};

interface RowProps {
  readonly row: Row;
  readonly listId: string;
  readonly onChange: (part: Partial<Row>) => void;
  /** Undefined for the only row. */
  readonly onRemove: (() => void) | undefined;
}

const RowField = ({ row: { count }, listId, onChange, onRemove }: RowProps) => (
  <div class="field-row">
    <input
      type="text"
      name="item"
      list={listId}
      aria-label={words().act.item}
      placeholder={words().act.item}
      autocomplete="off"
      spellcheck={false}
      required
      onInput={({ currentTarget }) => onChange({ item: currentTarget.value.trim() })}
    />
    <input
      type="number"
      name="count"
      class="narrow"
      aria-label={words().act.count}
      min={1}
      required
      value={count}
      onInput={({ currentTarget }) => onChange({ count: +currentTarget.value })}
    />
    {onRemove ? (
      <button type="button" class="button button-quiet" aria-label={words().act.removeItem} onClick={onRemove}>
        <Icon name="close" size={16} />
      </button>
    ) : undefined}
  </div>
);
