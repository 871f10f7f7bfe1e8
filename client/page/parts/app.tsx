import { useSignalEffect } from '@preact/signals';
import { PetArt } from '../../look/art/pet-art.tsx';
import { Icon } from '../../look/icons.tsx';
import { openDialog, useGame, useWords } from '../game/use-game.ts';
import { Workshop } from '../town/workshop.tsx';
import { AdoptDialog, Welcome } from './adopt-form.tsx';
import { ReleaseDialog, StopDialog } from './ask-dialogs.tsx';
import { AwaySheet } from './away-sheet.tsx';
import { CardDialog } from './card-dialog.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { Header } from './header.tsx';
import { Spoken, Toasts } from './news.tsx';
import { PetCard } from './pet-card.tsx';
import { Places, shownPlace } from './places.tsx';
import { Tray } from './tray.tsx';

export const App = () => {
  const { language } = useGame();
  useSignalEffect(() => {
    document.documentElement.lang = language.words.value.lang;
    document.title = `${language.words.value.title} · ${language.words.value.tagline}`;
  });
  return (
    <>
      <Header />
      <ConnectionBanner />
      <Places />
      <Home />
      <Toasts />
      <Spoken />
      <Dialogs />
    </>
  );
};

const Home = () => {
  const { home, rules, connection } = useGame();
  const { words } = useWords();
  const shown = home.value;
  if (!shown || !rules.value) {
    return (
      <main class="home home-empty">
        {connection.value.phase === 'refused' ? undefined : (
          <div class="opening">
            <PetArt species="dog" mood="eating" bowl={1} />
            <p>{words.opening}</p>
          </div>
        )}
      </main>
    );
  }
  if (shownPlace.value === 'town' && rules.value.town) return <Workshop rules={rules.value.town} />;
  if (shown.pets.length === 0) {
    return (
      <main class="home home-empty">
        <Welcome />
      </main>
    );
  }
  const isFull = shown.pets.length >= rules.value.limits.petsPerPlayer;
  return (
    <main class="home">
      <ul class="pets">
        {shown.pets.map((pet) => (
          <PetCard key={pet.id} pet={pet} />
        ))}
        {isFull ? undefined : (
          <li class="pet-new">
            <button
              type="button"
              class="button"
              onClick={() => {
                openDialog.value = { kind: 'adopt' };
              }}
            >
              <Icon name="plus" />
              {words.adopt.another}
            </button>
          </li>
        )}
      </ul>
      <Tray />
    </main>
  );
};

const Dialogs = () => {
  const { away } = useGame();
  const open = openDialog.value;
  const close = (): void => {
    openDialog.value = undefined;
  };
  if (away.value) return <AwaySheet summary={away.value} />;
  switch (open?.kind) {
    case undefined:
      return null;
    case 'adopt':
      return <AdoptDialog onClose={close} />;
    case 'stop':
      return <StopDialog pet={open.pet} onClose={close} />;
    case 'release':
      return <ReleaseDialog pet={open.pet} onClose={close} />;
    case 'card':
      return <CardDialog pet={open.pet} card={open.card} onClose={close} />;
    default:
      return open satisfies never;
  }
};
