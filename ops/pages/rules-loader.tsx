import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { FaultNote } from '../parts/states.tsx';
import type { RulesPageProps } from '../rules/rules-page.tsx';
import { AskFault } from '../session/ask.ts';
import { words } from '../words/words.ts';

/** The rules of modules: loaded only when they are opened. */
export const RulesLoader = ({ module }: RulesPageProps) => {
  const [Page, setPage] = useState<ComponentType<RulesPageProps>>();
  const [fault, setFault] = useState<AskFault>();
  const load = (): void => {
    setFault(undefined);
    import('../rules/rules-page.tsx').then(
      ({ RulesPage }) => setPage(() => RulesPage),
      // A tab that is older than a release: its scripts are gone. Without a connection the header says so.
      () => setFault(new AskFault({ code: 'page/fault', message: '' }, 500)),
    );
  };
  useEffect(load, []);
  return (
    <>
      <h1>{module ?? words().nav.rules}</h1>
      {Page ? <Page module={module} /> : undefined}
      {fault ? <FaultNote fault={fault} onAgain={load} /> : undefined}
    </>
  );
};
