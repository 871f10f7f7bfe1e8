import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ThingArt } from '../../look/art/thing-art.tsx';
import { Dialog } from '../../look/dialog.tsx';
import type { TownThing } from '../game/modules.ts';
import { useGame, useWords } from '../game/use-game.ts';

interface Props {
  /** A running thing. */
  readonly thing: TownThing;
  readonly run: string;
  readonly onClose: () => void;
}

/** Cancelling a run costs items: the server's quote says what comes back. */
export const CancelDialog = ({ thing, run, onClose }: Props) => {
  const game = useGame();
  const { words, formats } = useWords();
  const { cancel } = words.town;
  const hint = useSignal(words.town.card.asking);
  useEffect(() => {
    game.quoteCancel(thing, run).then(
      (quote) => {
        const items = quote?.events.find(({ type }) => type === 'town/cancelled')?.items;
        if (quote) hint.value = items ? cancel.back({ items: formats.items(items) }) : cancel.nothing;
      },
      // Mostly it has ended: there is nothing to cancel.
      (error: unknown) => {
        game.refuseQuote(error);
        onClose();
      },
    );
  }, []);
  const { name, level } = thing.state;
  return (
    <Dialog
      title={cancel.title({ name: game.thingName(thing.id) })}
      onClose={onClose}
      art={<ThingArt name={name} level={level} mood="runs" />}
    >
      <p aria-live="polite">{hint.value}</p>
      <div class="dialog-actions">
        <button type="button" class="button button-quiet" onClick={onClose}>
          {cancel.keep}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            game.cancel(thing, run);
            onClose();
          }}
        >
          {cancel.submit}
        </button>
      </div>
    </Dialog>
  );
};
