import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Items } from '../../../shared/items.ts';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { PetArt } from '../../look/art/pet-art.tsx';
import { Dialog } from '../../look/dialog.tsx';
import { useAskTurn, useGame, useWords } from '../game/use-game.ts';

interface AskProps {
  readonly pet: ShownPet;
  readonly onClose: () => void;
}

/** Stopping costs the food: the server's quote says what comes back. */
export const StopDialog = ({ pet, onClose }: AskProps) => {
  const game = useGame();
  const { words, formats } = useWords();
  const back = useSignal<Items>({});
  const turn = useAskTurn();
  const isOver = useRef(false);
  useEffect(() => {
    game.quoteStop(pet).then(
      (quote) => {
        const stopped = quote?.events.find((event) => event.type === 'feeding-stopped');
        back.value = stopped && 'items' in stopped ? (stopped.items as Items) : {};
      },
      // Mostly the meal is over: there is nothing to stop.
      (error: unknown) => {
        // An earlier question may have been refused, too.
        if (isOver.current) return;
        isOver.current = true;
        game.refuseQuote(error);
        onClose();
      },
    );
  }, [turn]);
  useEffect(
    () => () => {
      isOver.current = true;
    },
    [],
  );
  const hasBack = Object.keys(back.value).length > 0;
  const isFoodBack = Object.hasOwn(back.value, pet.food);
  return (
    <Dialog
      title={words.stop.title({ name: pet.name })}
      onClose={onClose}
      art={<PetArt species={pet.species} mood="idle" bowl={0.6} />}
    >
      <p>
        {isFoodBack ? undefined : words.stop.foodGone({ food: formats.item(pet.food) })}{' '}
        {hasBack ? words.stop.back({ items: formats.items(back.value) }) : undefined}
      </p>
      <div class="dialog-actions">
        <button type="button" class="button button-quiet" onClick={onClose}>
          {words.stop.keep}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            game.stop(pet);
            onClose();
          }}
        >
          {words.stop.submit}
        </button>
      </div>
    </Dialog>
  );
};

export const ReleaseDialog = ({ pet, onClose }: AskProps) => {
  const game = useGame();
  const { words } = useWords();
  return (
    <Dialog
      title={words.release.title({ name: pet.name })}
      onClose={onClose}
      art={<PetArt species={pet.species} mood="waiting" />}
    >
      <p>{words.release.hint}</p>
      <div class="dialog-actions">
        <button type="button" class="button button-quiet" onClick={onClose}>
          {words.release.keep}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            game.release(pet);
            onClose();
          }}
        >
          {words.release.submit}
        </button>
      </div>
    </Dialog>
  );
};
