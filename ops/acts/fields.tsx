import { useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { type Field, linesOf, type Values } from './act.ts';
import { ItemsField } from './items-field.tsx';

interface Props {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

export const presetsOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (field.type === 'whole' && field.preset !== undefined) return [[field.name, field.preset]];
      return field.type === 'items' ? [[field.name, { '': 1 }]] : [];
    }),
  );

/** One input field. An empty one is `undefined`. */
export const FieldOf = ({ field, value, onChange }: Props) => {
  switch (field.type) {
    case 'items':
      return <ItemsField label={field.label} onChange={onChange} />;
    case 'shift':
      return <ShiftField label={field.label} onChange={onChange} />;
    case 'flag':
      return (
        <label class="check">
          <input
            type="checkbox"
            name={field.name}
            checked={value === true}
            onChange={({ currentTarget }) => onChange(currentTarget.checked || undefined)}
          />
          <span>{field.label}</span>
        </label>
      );
    case 'instant':
      return <InstantField field={field} onChange={onChange} />;
    case 'lines':
      return <LinesField field={field} onChange={onChange} />;
    case 'whole':
      return <NumberField field={field} value={value} onChange={onChange} />;
    case 'choice':
      return <ChoiceField field={field} onChange={onChange} />;
    case 'text':
      return <TextField field={field} onChange={onChange} />;
    default:
      return field.type satisfies never;
  }
};

const InstantField = ({ field, onChange }: Omit<Props, 'value'>) => (
  <label class="field">
    <span>{field.label}</span>
    <input
      type="datetime-local"
      name={field.name}
      onInput={({ currentTarget }) => onChange(atMsOf(currentTarget.value))}
    />
  </label>
);

const LinesField = ({ field, onChange }: Omit<Props, 'value'>) => (
  <label class="field">
    <span>{field.label}</span>
    <textarea
      name={field.name}
      rows={2}
      spellcheck={false}
      onInput={({ currentTarget }) => onChange(linesOf(currentTarget.value))}
    />
  </label>
);

const NumberField = ({ field, value, onChange }: Props) => (
  <label class="field">
    <span>{field.label}</span>
    <input
      type="number"
      name={field.name}
      min={1}
      max={field.max}
      required={field.isOptional !== true}
      value={typeof value === 'number' ? value : ''}
      onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : +currentTarget.value)}
    />
  </label>
);

const TextField = ({ field, onChange }: Omit<Props, 'value'>) => (
  <label class="field">
    <span>{field.label}</span>
    <input
      type="text"
      name={field.name}
      autocomplete="off"
      spellcheck={false}
      required={field.isOptional !== true}
      pattern={field.pattern}
      placeholder={field.placeholder}
      onInput={({ currentTarget }) => onChange(currentTarget.value.trim() || undefined)}
    />
  </label>
);

/** One of these, or none. */
const ChoiceField = ({ field, onChange }: Omit<Props, 'value'>) => (
  <label class="field">
    <span>{field.label}</span>
    <select name={field.name} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
      <option value="">—</option>
      {field.of?.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  </label>
);

const unitsMs = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitsMs;

/** Later or sooner, by how much. */
const ShiftField = ({ label, onChange }: { readonly label: string; readonly onChange: (ms: number) => void }) => {
  const [shift, setShift] = useState<{ sign: 1 | -1; count: number; unit: Unit }>({ sign: 1, count: 0, unit: 'min' });
  const change = (part: Partial<typeof shift>): void => {
    const next = { ...shift, ...part };
    setShift(next);
    onChange(Math.round(next.sign * next.count * unitsMs[next.unit]));
  };
  return (
    <fieldset class="field field-row">
      <legend>{label}</legend>
      <input
        type="number"
        name="count"
        aria-label={words().act.count}
        min={0.001}
        step="any"
        required
        onInput={({ currentTarget }) => change({ count: +currentTarget.value })}
      />
      <select
        name="unit"
        aria-label={words().act.unit}
        value={shift.unit}
        onChange={({ currentTarget }) => change({ unit: currentTarget.value as Unit })}
      >
        {Object.entries(words().act.unitNames).map(([unit, name]) => (
          <option key={unit} value={unit}>
            {name}
          </option>
        ))}
      </select>
      <select
        name="direction"
        aria-label={words().act.direction}
        onChange={({ currentTarget }) => change({ sign: currentTarget.value === 'sooner' ? -1 : 1 })}
      >
        <option value="later">{words().act.later}</option>
        <option value="sooner">{words().act.sooner}</option>
      </select>
    </fieldset>
  );
};

const atMsOf = (local: string): number | undefined => (local === '' ? undefined : new Date(local).getTime());
