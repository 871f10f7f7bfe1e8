import { PetArt } from '../../client/look/art/pet-art.tsx';
import type { OpsPet, OpsPlayer } from '../../shared/ops/ops-answers.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { feedingActs } from '../acts/player-acts.ts';
import { At, Empty, Mark, Panel } from '../parts/states.tsx';
import { feedingHref, place } from '../session/route.ts';
import { instant, number } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().player;

export const PetTable = ({ player }: { readonly player: OpsPlayer }) => (
  <Panel title={texts().pets}>
    {player.pets.length === 0 ? (
      <Empty title={texts().noPets} />
    ) : (
      <ul class="pets">
        {player.pets.map((pet) => (
          <PetRow key={pet.petId} pet={pet} player={player} />
        ))}
      </ul>
    )}
  </Panel>
);

const PetRow = ({ pet, player: { playerId, nowMs } }: { readonly pet: OpsPet; readonly player: OpsPlayer }) => {
  const { feeding } = pet;
  const isWanted = place.value.query.pet === pet.petId;
  const mood = feeding ? 'eating' : pet.waitingFor === undefined ? 'idle' : 'waiting';
  return (
    <li class={isWanted ? 'pet pet-wanted' : 'pet'} data-pet={pet.petId}>
      <span class="pet-art" aria-hidden="true">
        <PetArt species={pet.species} mood={mood} />
      </span>
      <div class="pet-who">
        <h3>{pet.name}</h3>
        <p class="soft">
          {pet.species} · {texts().level({ level: pet.level, xp: number(pet.xp) })}
        </p>
        <code class="soft">{pet.petId}</code>
      </div>
      <div class="pet-what">
        {feeding ? <Meal of={feeding} nowMs={nowMs} /> : <p class="soft">{texts().idle}</p>}
        <Marks pet={pet} nowMs={nowMs} />
      </div>
      {feeding ? (
        <div class="pet-acts">
          <a
            class="button button-main"
            href={feedingHref(feeding.feedingId)}
            aria-label={texts().whyOf({ name: pet.name })}
            data-why={feeding.feedingId}
          >
            {texts().why}
          </a>
          <ActButtons acts={feedingActs(playerId, pet, nowMs)} label={pet.name} isQuiet />
        </div>
      ) : undefined}
    </li>
  );
};

const Meal = ({ of, nowMs }: { readonly of: NonNullable<OpsPet['feeding']>; readonly nowMs: number }) => (
  <>
    <p>
      {texts().eating} <b>{of.food}</b> <span class="soft">{of.by === 'card' ? texts().byCard : texts().byHand}</span>
    </p>
    <p class="pet-due">
      {texts().due} <At ms={of.dueAtMs} nowMs={nowMs} isRelative />{' '}
      {of.isOverdue ? (
        <span title={texts().overdueHint}>
          <Mark tone="danger">{texts().isOverdue}</Mark>
        </span>
      ) : undefined}
    </p>
  </>
);

const Marks = ({ pet, nowMs }: { readonly pet: OpsPet; readonly nowMs: number }) => (
  <p class="marks">
    {pet.boost && pet.boost.endsAtMs > nowMs ? (
      <Mark tone="plum">{texts().boost({ rate: pet.boost.rate, until: instant(pet.boost.endsAtMs, nowMs) })}</Mark>
    ) : undefined}
    {pet.autoFeeds > 0 ? <Mark tone="leaf">{texts().autoFeeds({ count: pet.autoFeeds })}</Mark> : undefined}
    {pet.waitingFor === undefined ? undefined : (
      <Mark tone="honey">{texts().waitingFor({ food: pet.waitingFor })}</Mark>
    )}
  </p>
);
