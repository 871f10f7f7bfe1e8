import { PetArt } from '../../look/art/pet-art.tsx';
import { Dialog } from '../../look/dialog.tsx';
import { Icon } from '../../look/icons.tsx';
import type { AwayPet, AwaySummary } from '../game/away.ts';
import { useGame, useWords } from '../game/use-game.ts';
import { AwayThingLine } from '../town/away-thing-line.tsx';

/** The events while the player was away, pet by pet and thing by thing. */
export const AwaySheet = ({ summary }: { readonly summary: AwaySummary }) => {
  const game = useGame();
  const { words, formats } = useWords();
  const given = Object.entries(summary.gifts).filter(([, count]) => count > 0);
  const taken = Object.entries(summary.gifts).filter(([, count]) => count < 0);
  return (
    <Dialog title={words.away.title} onClose={game.putAway}>
      <p class="preview-soft">{words.away.hint({ since: formats.clock(summary.lastAt, game.nowMs()) })}</p>
      <ul class="away-pets">
        {summary.pets.map((pet) => (
          <AwayLine key={pet.petId} pet={pet} />
        ))}
        {summary.things.map((done) => (
          <AwayThingLine key={done.thing} done={done} />
        ))}
      </ul>
      {given.length > 0 ? (
        <p class="note note-good">
          <Icon name="star" size={20} />
          {words.away.gifts({ items: formats.items(Object.fromEntries(given)) })}
        </p>
      ) : undefined}
      {taken.length > 0 ? (
        <p class="note">{words.away.losses({ items: formats.items(Object.fromEntries(taken)) })}</p>
      ) : undefined}
      <div class="dialog-actions">
        <button type="button" class="button button-main" onClick={game.putAway}>
          {words.away.submit}
        </button>
      </div>
    </Dialog>
  );
};

const AwayLine = ({ pet }: { readonly pet: AwayPet }) => {
  const game = useGame();
  const { words, formats } = useWords();
  const name = game.nameOf(pet.petId);
  const shown = game.home.value?.pets.find(({ id }) => id === pet.petId);
  const { away } = words;
  return (
    <li class="away-pet">
      {shown ? (
        <span class="away-art">
          <PetArt species={shown.species} mood={pet.waitingFor === undefined ? 'happy' : 'waiting'} />
        </span>
      ) : undefined}
      <div>
        {pet.meals > 0 ? <p class="away-main">{away.meals({ name, meals: pet.meals, xp: pet.xp })}</p> : undefined}
        {pet.autoFed > 0 ? <p>{away.autoFed({ times: pet.autoFed })}</p> : undefined}
        {pet.level === undefined ? undefined : (
          <p class="away-level">
            <Icon name="star" size={16} />
            {away.level({ name, level: pet.level })}
          </p>
        )}
        {pet.waitingFor === undefined ? undefined : (
          <p class="away-waits">
            <Icon name="bowl" size={16} />
            {away.waiting({ name, food: formats.item(pet.waitingFor) })}
          </p>
        )}
        {pet.isGone ? <p>{away.gone({ name })}</p> : undefined}
      </div>
    </li>
  );
};
