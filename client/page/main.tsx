import { Client } from '@colyseus/sdk';
import { render } from 'preact';
import '../look/tokens.css';
import '../look/base.css';
import '../look/art/art.css';
import './styles/page.css';
import './styles/pet.css';
import './styles/pet-chips.css';
import './styles/tray.css';
import './styles/adopt.css';
import './styles/dialogs.css';
import './styles/toasts.css';
import './styles/screens.css';
import { createGame, type Rules } from './game/game.ts';
import { browserMemory } from './game/memory.ts';
import { GameContext } from './game/use-game.ts';
import { App } from './parts/app.tsx';

const game = createGame({
  client: new Client(location.origin),
  memory: browserMemory(),
  preferredLanguages: navigator.languages,
  fetchRules: async (): Promise<Rules> => {
    const response = await fetch('/rules.json');
    if (!response.ok) throw new Error(`the rules cannot be had (${response.status})`);
    return (await response.json()) as Rules;
  },
});

const root = document.getElementById('page');
if (root) {
  render(
    <GameContext.Provider value={game}>
      <App />
    </GameContext.Provider>,
    root,
  );
}
