import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { OpsRouteName } from '../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { AskFault, faultOf, type Parts } from './ask.ts';
import { whileSeen } from './platform.ts';
import type { Session } from './session.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('a part of the page was used outside of it');
  return session;
};

export interface Loaded<Answer> {
  /** The last answer; it stays during the next request. */
  readonly answer?: Answer | undefined;
  readonly fault?: AskFault | undefined;
  readonly again: () => void;
}

/** How often the page of a player, thing or timer asks again. */
export const EVERY_MS = 5000;

/** Asks at first, when the question changes, after each write, and every `everyMs` while the page is visible. */
export const useAnswer = <Name extends OpsRouteName>(
  name: Name,
  parts: Parts = {},
  input: object = {},
  everyMs?: number,
): Loaded<OpsAnswers[Name]> => {
  const session = useSession();
  const key = JSON.stringify([name, parts, input]);
  const [kept, keep] = useState<{ key: string; answer?: OpsAnswers[Name]; fault?: AskFault | undefined }>({ key });
  const [turn, setTurn] = useState(0);
  const writes = session.writes.value;
  const isAsking = useRef(false);
  useEffect(() => {
    let isOver = false;
    isAsking.current = true;
    session.ask(name, parts, input).then(
      (answer) => {
        if (isOver) return;
        isAsking.current = false;
        keep({ key, answer });
      },
      (error: unknown) => {
        if (isOver) return;
        isAsking.current = false;
        const fault = faultOf(error);
        keep((before) => (before.key === key ? { ...before, fault } : { key, fault }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [key, turn, writes]);
  const again = () => setTurn((before) => before + 1);
  useEffect(
    () =>
      everyMs === undefined
        ? undefined
        : // A server that takes longer than that must still be heard; until then the old answer has its mark.
          whileSeen(everyMs, () =>
            isAsking.current
              ? keep((before) => ({
                  ...before,
                  fault: before.answer && new AskFault({ code: 'page/offline', message: '' }, 0),
                }))
              : again(),
          ),
    [everyMs],
  );
  return { ...(kept.key === key && kept), again };
};
