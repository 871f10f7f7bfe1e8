import { render } from 'preact';
import '../client/look/tokens.css';
import '../client/look/base.css';
import '../client/look/art/art.css';
import 'uplot/dist/uPlot.min.css';
import './ops.css';
import './tables.css';
import { App } from './parts/app.tsx';
import { createSession } from './session.ts';
import { SessionContext } from './use-session.ts';

const session = createSession(window.sessionStorage);

const root = document.getElementById('page');
if (root) {
  render(
    <SessionContext.Provider value={session}>
      <App />
    </SessionContext.Provider>,
    root,
  );
}
