import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import type { Card } from '../../../shared/pets/catalogue.ts';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { CommandRefused } from '../../follow/follow-home.ts';
import { ItemArt } from '../../look/art/item-art.tsx';
import { Dialog } from '../../look/dialog.tsx';
import { Icon } from '../../look/icons.tsx';
import type { Game } from '../game/game.ts';
import { type CardPreview, previewCard } from '../game/preview.ts';
import { useGame, useTick, useWords } from '../game/use-game.ts';

interface CardDialogProps {
  readonly pet: ShownPet;
  readonly card: string;
  readonly onClose: () => void;
}

const PREVIEW_MS = 250;

/** The effect of a card before it is played: calculated at once, then by the server's quote. */
export const CardDialog = ({ pet: asOpened, card, onClose }: CardDialogProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const pet = game.home.value?.pets.find(({ id }) => id === asOpened.id) ?? asOpened;
  const facts = game.rules.value?.cards[card];
  const have = game.home.value?.items[card] ?? 0;
  const whyId = useId();
  const wanted = useSignal(1);
  const count = Math.max(1, Math.min(wanted.value, have));
  const nowMs = useSignal(game.nowMs());
  useTick(() => {
    nowMs.value = game.nowMs();
    return PREVIEW_MS;
  });
  const refusal = useQuote(pet, card, count);
  if (!facts) return null;
  const title = words.card.title({ card: formats.item(card), name: pet.name });
  const art = <ItemArt item={card} effect={facts.effect} />;
  if (pet.feedingId !== asOpened.feedingId || pet.food === '') return <Over {...{ title, art, onClose }} />;
  const preview = previewCard(pet, facts, count, nowMs.value);
  const why = refusal ?? refusalOf(preview, game);
  const use = (): void => {
    if (why !== undefined) return;
    // The page's time has fractions; a command has whole milliseconds.
    game.useCard(pet, card, { facts, count, acceptedMs: preview.isWasteful ? Math.ceil(preview.wastedMs) : 0 });
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose} art={art}>
      <Effect {...{ pet, facts, preview, nowMs: nowMs.value, count }} />
      {have > 1 ? <Stepper count={count} most={have} onChange={(next) => (wanted.value = next)} /> : undefined}
      {preview.isWasteful && why === undefined ? (
        <Note class="note-warning">{words.card.wasted({ wasted: formats.duration(preview.wastedMs) })}</Note>
      ) : undefined}
      {why === undefined ? undefined : (
        <Note class="note-no" id={whyId}>
          {why}
        </Note>
      )}
      <div class="dialog-actions">
        <button type="button" class="button button-quiet" onClick={onClose}>
          {words.cancel}
        </button>
        <button
          type="button"
          class="button button-main"
          aria-disabled={why !== undefined}
          aria-describedby={why === undefined ? undefined : whyId}
          onClick={use}
        >
          {preview.isWasteful ? words.card.useAnyway : words.card.use({ count })}
        </button>
      </div>
    </Dialog>
  );
};

interface OverProps {
  readonly title: string;
  readonly art: ComponentChildren;
  readonly onClose: () => void;
}

/** The meal ended while the dialog was open: there is nothing left to preview. */
const Over = ({ title, art, onClose }: OverProps) => {
  const { words } = useWords();
  return (
    <Dialog title={title} onClose={onClose} art={art}>
      <Note class="note-no">{words.card.over}</Note>
      <div class="dialog-actions">
        <button type="button" class="button button-main" onClick={onClose}>
          {words.close}
        </button>
      </div>
    </Dialog>
  );
};

interface NoteProps {
  readonly class: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

const Note = ({ children, id, ...props }: NoteProps) => (
  <p class={`note ${props.class}`} id={id}>
    <Icon name="warning" size={20} />
    {children}
  </p>
);

/** The server's refusal in words; undefined: it would accept, or has not replied yet. */
const useQuote = (pet: ShownPet, card: string, count: number): string | undefined => {
  const game = useGame();
  const { words } = useWords();
  const refusal = useSignal<string | undefined>(undefined);
  const { feedingId } = pet;
  useEffect(() => {
    let isCurrent = true;
    const know = (text: string | undefined): void => {
      if (isCurrent) refusal.value = text;
    };
    game.quoteCard(pet, card, count).then(
      () => know(undefined),
      (error: unknown) => {
        if (!(error instanceof CommandRefused)) return;
        const { code, params, retryable } = error.rejection;
        // Refused only for now: the card may be accepted a moment later.
        know(retryable ? undefined : words.refusals[code]?.(params));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [feedingId, card, count]);
  return refusal.value;
};

const refusalOf = ({ refusal }: CardPreview, { language }: Game): string | undefined =>
  refusal === undefined ? undefined : language.words.value.refusals[refusal]?.({});

interface EffectProps {
  readonly pet: ShownPet;
  readonly facts: Card;
  readonly preview: CardPreview;
  readonly nowMs: number;
  readonly count: number;
}

const Effect = ({ pet, facts, preview, nowMs }: EffectProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const food = formats.item(pet.food);
  const endsNow = preview.endsAt <= nowMs;
  const isRepeat = facts.effect === 'repeat';
  return (
    <>
      <dl class="preview">
        <div class="preview-side">
          <dt>{words.card.before}</dt>
          <dd>{formats.clock(pet.dueAt, nowMs)}</dd>
        </div>
        <Icon name="clock" size={22} />
        <div class="preview-side preview-after">
          <dt>{isRepeat ? words.card.chainEnd : words.card.after}</dt>
          <dd>{endsNow ? words.card.ends : formats.clock(preview.endsAt, nowMs)}</dd>
        </div>
      </dl>
      <p class="preview-words">
        {isRepeat ? words.card.chain({ count: preview.autoFeeds ?? 0, food }) : undefined}
        {preview.soonerMs > 0 ? words.card.sooner({ by: formats.duration(preview.soonerMs) }) : undefined}{' '}
        {endsNow ? words.card.endsHint : undefined}
        {facts.effect === 'rate'
          ? words.card.boostUntil({ rate: facts.rate, at: formats.clock(preview.boostEndsAt ?? 0, nowMs) })
          : undefined}
      </p>
      {isRepeat ? (
        <p class="preview-words preview-soft">
          {words.card.chainFood({
            need: preview.autoFeeds ?? 0,
            have: game.home.value?.items[pet.food] ?? 0,
            food,
          })}
        </p>
      ) : undefined}
    </>
  );
};

interface StepperProps {
  readonly count: number;
  readonly most: number;
  readonly onChange: (count: number) => void;
}

const Stepper = ({ count, most, onChange }: StepperProps) => {
  const { words, formats } = useWords();
  return (
    <fieldset class="stepper">
      <legend>{words.card.count}</legend>
      <button
        type="button"
        class="button button-round"
        aria-label={words.card.fewer}
        aria-disabled={count <= 1}
        onClick={() => count > 1 && onChange(count - 1)}
      >
        <Icon name="minus" />
      </button>
      <output class="stepper-count">{formats.number(count)}</output>
      <button
        type="button"
        class="button button-round"
        aria-label={words.card.more}
        aria-disabled={count >= most}
        onClick={() => count < most && onChange(count + 1)}
      >
        <Icon name="plus" />
      </button>
    </fieldset>
  );
};
