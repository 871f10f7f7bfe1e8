import { Icon } from '../../look/icons.tsx';
import { useGame, useWords } from '../game/use-game.ts';

/** Shows that the connection is lost, or that the server refuses this browser's sign-in. */
export const ConnectionBanner = () => {
  const game = useGame();
  const { connection: words } = useWords().words;
  const { phase } = game.connection.value;
  if (phase === 'refused') {
    return (
      <section class="banner banner-refused">
        <Icon name="warning" size={24} />
        <div class="banner-text">
          <h2>{words.refused}</h2>
          <p>{words.refusedHint}</p>
        </div>
        <div class="banner-actions">
          <button type="button" class="button" onClick={game.retry}>
            {words.tryAgain}
          </button>
          <button type="button" class="button button-main" onClick={game.beginAnew}>
            {words.beginAnew}
          </button>
        </div>
      </section>
    );
  }
  if (phase === 'online' || !game.home.value) return null;
  return (
    <section class="banner banner-lost">
      <Icon name="offline" size={24} />
      <div class="banner-text">
        <h2>{words.lost}</h2>
        <p>{words.lostHint}</p>
      </div>
      <div class="banner-actions">
        <button type="button" class="button" onClick={game.retry}>
          {words.retry}
        </button>
      </div>
    </section>
  );
};
