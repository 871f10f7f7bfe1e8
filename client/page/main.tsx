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
import './styles/town.css';
import './styles/screens.css';
import { createGame, type PageRules } from './game/game.ts';
import { createLanguage } from './game/language.ts';
import { browserMemory } from './game/memory.ts';
import { GameContext } from './game/use-game.ts';
import { App } from './parts/app.tsx';

const fetchJson = async (path: string): Promise<unknown> => {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} cannot be loaded (${response.status})`);
  return response.json();
};

const memory = browserMemory();
const game = createGame({
  client: new Client(location.origin),
  memory,
  language: await createLanguage(memory, navigator.languages),
  fetchRules: async (): Promise<PageRules> => {
    const [rules, works] = await Promise.all([fetchJson('/rules.json'), fetchJson('/works.json')]);
    return { ...(rules as PageRules), ...(works as Pick<PageRules, 'town'>) };
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
