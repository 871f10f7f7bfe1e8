import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { systemPlatform } from '../../follow/platform.ts';
import { PetArt } from '../../look/art/pet-art.tsx';
import { Dialog } from '../../look/dialog.tsx';
import { Icon } from '../../look/icons.tsx';
import { useGame, useWords } from '../game/use-game.ts';

interface AdoptFormProps {
  readonly onDone: () => void;
  readonly onCancel?: () => void;
}

const MAX_NAME = 32;

const anyOf = (names: readonly string[], not: string): string => {
  const others = names.filter((name) => name !== not);
  return others[Math.floor(systemPlatform.random() * others.length)] ?? not;
};

export const AdoptForm = ({ onDone, onCancel }: AdoptFormProps) => {
  const game = useGame();
  const { words } = useWords();
  const species = useSignal(game.rules.value?.species[0] ?? '');
  const name = useSignal(anyOf(words.adopt.names, ''));
  const refusal = useSignal('');
  const isBusy = game.pending.value.has('');
  const submit = async (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isBusy) return;
    refusal.value = '';
    const isAdopted = await game.adopt(name.value, species.value, (rejection) => {
      // It may be closed by then.
      if (form.isConnected) refusal.value = game.whyNot(rejection);
      else game.refuse(rejection);
    });
    if (isAdopted) onDone();
  };
  return (
    <form class="adopt" onSubmit={submit}>
      <SpeciesChoice chosen={species} />
      <NameField name={name} />
      {refusal.value ? (
        <p class="note note-no" role="alert">
          <Icon name="warning" size={20} />
          {refusal.value}
        </p>
      ) : undefined}
      <div class="dialog-actions">
        {onCancel ? (
          <button type="button" class="button button-quiet" onClick={onCancel}>
            {words.cancel}
          </button>
        ) : undefined}
        <button type="submit" class="button button-main" aria-disabled={isBusy}>
          <Icon name="paw" />
          {isBusy ? words.pet.pending : words.adopt.submit}
        </button>
      </div>
    </form>
  );
};

const SpeciesChoice = ({ chosen }: { readonly chosen: Signal<string> }) => {
  const game = useGame();
  const { words, formats } = useWords();
  return (
    <fieldset class="species">
      <legend class="hidden-text">{words.adopt.species}</legend>
      {(game.rules.value?.species ?? []).map((kind) => (
        <label key={kind} class="species-choice">
          <input
            type="radio"
            name="species"
            value={kind}
            checked={chosen.value === kind}
            onChange={() => {
              chosen.value = kind;
            }}
          />
          <span class="species-card">
            <PetArt species={kind} mood={chosen.value === kind ? 'happy' : 'idle'} />
            {formats.species(kind)}
            <span class="species-tick">
              <Icon name="check" size={16} />
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
};

const NameField = ({ name }: { readonly name: Signal<string> }) => {
  const { words } = useWords();
  const nameId = useId();
  return (
    <div class="field">
      <label for={nameId}>{words.adopt.name}</label>
      <div class="field-row">
        <input
          id={nameId}
          class="input"
          type="text"
          required
          maxLength={MAX_NAME}
          autocomplete="off"
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <button
          type="button"
          class="button button-round"
          aria-label={words.adopt.surprise}
          title={words.adopt.surprise}
          onClick={() => {
            name.value = anyOf(words.adopt.names, name.value);
          }}
        >
          <Icon name="dice" />
        </button>
      </div>
    </div>
  );
};

/** The form disappears with the focus, so the new pet gets it next. */
const chooseLater = (): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.pet-choose')?.focus());
};

/** The page for a player without a pet. */
export const Welcome = () => {
  const { words } = useWords();
  return (
    <section class="welcome">
      <h2>{words.adopt.welcome}</h2>
      <p>{words.adopt.welcomeHint}</p>
      <AdoptForm onDone={chooseLater} />
    </section>
  );
};

export const AdoptDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title={useWords().words.adopt.title} onClose={onClose}>
    <AdoptForm onDone={onClose} onCancel={onClose} />
  </Dialog>
);
