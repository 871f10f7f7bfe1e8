import { useEffect, useRef, useState } from 'preact/hooks';
import { Header } from '../parts/header.tsx';
import { SignIn } from '../parts/sign-in.tsx';
import { FaultNote } from '../parts/states.tsx';
import { type AskFault, faultOf } from '../session/ask.ts';
import { place } from '../session/route.ts';
import { useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { AuditPage } from './audit-page.tsx';
import { FailedPage } from './failed-page.tsx';
import { JobPage } from './job-page.tsx';
import { JobsPage } from './jobs-page.tsx';
import { OverviewPage } from './overview-page.tsx';
import { PlayerPage } from './player-page.tsx';
import { RulesLoader } from './rules-loader.tsx';
import { SearchPage } from './search-page.tsx';
import { ThingPage } from './thing-page.tsx';
import { TimerPage } from './timer-page.tsx';
import { TimersPage } from './timers-page.tsx';

export const App = () => {
  const session = useSession();
  const [fault, setFault] = useState<AskFault>();
  const resume = (): void => {
    setFault(undefined);
    session.resume().catch((error: unknown) => {
      setFault(faultOf(error));
    });
  };
  useEffect(resume, []);
  const { lang, title } = words();
  useEffect(() => {
    document.documentElement.lang = lang;
    // Effects of `Content`, which names its page, run before.
    if (!session.hasToken.value) document.title = title;
  }, [lang, title, session.hasToken.value]);
  if (!session.hasToken.value) return <SignIn />;
  if (!session.me.value) {
    return (
      <main class="sign-in">
        {fault ? <FaultNote fault={fault} onAgain={resume} /> : <p class="loading">{words().loading}</p>}
      </main>
    );
  }
  return (
    <>
      <Header />
      <Content />
    </>
  );
};

/** The page of the place. After navigation the focus is at its beginning; also when the pressed link has gone. */
const Content = () => {
  const here = place.value;
  const { parts } = here;
  const main = useRef<HTMLElement>(null);
  const path = parts.join('/');
  const before = useRef(here);
  const { lang } = words();
  useEffect(() => {
    const isElsewhere = before.current.parts.join('/') !== path;
    const isLost = before.current !== here && document.activeElement === document.body;
    if (isElsewhere || isLost) main.current?.focus();
    before.current = here;
    const title = main.current?.querySelector('h1')?.textContent;
    document.title = title ? `${title} · ${words().title}` : words().title;
  }, [here, lang]);
  return (
    <main ref={main} id="content" class="content" tabIndex={-1}>
      <PageOf parts={parts} />
    </main>
  );
};

const PageOf = ({ parts: [page = '', id, tab, module, of] }: { readonly parts: readonly string[] }) => {
  switch (page) {
    case 'search':
      return <SearchPage />;
    case 'players':
      if (id === undefined) return <OverviewPage />;
      if (module === undefined || of === undefined) return <PlayerPage key={id} playerId={id} tab={tab ?? 'home'} />;
      return <ThingPage key={of} playerId={id} module={module} {...(tab === 'runs' ? { run: of } : { thing: of })} />;
    case 'timers':
      return id === undefined ? <TimersPage /> : <TimerPage key={id} timerId={id} />;
    case 'failed':
      return <FailedPage />;
    case 'jobs':
      return id === undefined ? <JobsPage /> : <JobPage key={id} jobId={id} />;
    case 'rules':
      return <RulesLoader key={id} module={id} />;
    case 'audit':
      return <AuditPage />;
    default:
      return <OverviewPage />;
  }
};
