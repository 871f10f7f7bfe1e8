import { effect } from '@preact/signals';
import { render } from 'preact';
import '../client/look/tokens.css';
import '../client/look/base.css';
import 'uplot/dist/uPlot.min.css';
import './styles/page.css';
import './styles/header.css';
import './styles/panels.css';
import './styles/fields.css';
import './styles/dialogs.css';
import './styles/narrow-page.css';
import './styles/charts.css';
import './styles/facts.css';
import './styles/tables.css';
import './styles/ledger.css';
import './styles/rules.css';
import './styles/narrow-tables.css';
import { KEPT_LANGUAGE, kept } from '../client/look/kept.ts';
import { languageOf } from '../client/look/language-of.ts';
import { App } from './pages/app.tsx';
import { createSession } from './session/session.ts';
import { SessionContext } from './session/use-session.ts';
import { learn } from './words/module-words.ts';
import { speak } from './words/words.ts';

// If the language cannot be loaded, the page stays in English.
await speak(languageOf(['en', 'zh'], [kept(KEPT_LANGUAGE), ...navigator.languages])).catch(() => undefined);
const session = createSession(window.sessionStorage);
effect(() => learn(session.modules.value));

const root = document.getElementById('page');
if (root) {
  render(
    <SessionContext.Provider value={session}>
      <App />
    </SessionContext.Provider>,
    root,
  );
}
