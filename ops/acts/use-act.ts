import { useRef, useState } from 'preact/hooks';
import type { OpsDone } from '../../shared/ops/ops-answers.ts';
import type { OpsAudit } from '../../shared/ops/ops-timer.ts';
import { type AskFault, faultOf } from '../session/ask.ts';
import { newCommandId } from '../session/platform.ts';
import { useSession } from '../session/use-session.ts';
import type { Act, Values } from './act.ts';

/** `form` -> `preview` (a dry run) -> `done`; after `unknown` only the same command can be sent again. */
export type Stage = 'form' | 'preview' | 'unknown' | 'done';

/** One act from its form to its entry in the audit, always under one `commandId`. */
export const useAct = (act: Act) => {
  const session = useSession();
  const commandId = useRef(newCommandId());
  /** What is done is what was previewed, whatever was typed meanwhile. */
  const previewed = useRef({});
  const [stage, setStage] = useState<Stage>('form');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<AskFault>();
  const [answer, setAnswer] = useState<unknown>();
  const [entry, setEntry] = useState<OpsAudit>();

  const findEntry = async (): Promise<void> => {
    const input = { target: act.target, limit: '99' };
    const found = await session.ask('audit', {}, input).catch(() => undefined);
    // The gifts of a job have its commandId too, and are newer.
    setEntry(found?.entries.findLast((audit) => audit.commandId === commandId.current));
  };

  const send = async (dryRun: boolean): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    const body = { ...previewed.current, commandId: commandId.current, dryRun };
    try {
      const done = (await session.ask(act.route, act.parts, body)) as OpsDone;
      setAnswer(done.answer);
      setStage(dryRun ? 'preview' : 'done');
      if (!dryRun) await findEntry();
    } catch (error) {
      const known = faultOf(error);
      setFault(known);
      if (!dryRun && known.isOutcomeUnknown) setStage('unknown');
    } finally {
      setBusy(false);
    }
  };

  return {
    stage,
    isBusy,
    fault,
    answer,
    entry,
    preview: (values: Values, reason: string) => {
      previewed.current = { ...act.body(values), reason };
      return send(true);
    },
    perform: () => send(false),
    toForm: () => {
      setFault(undefined);
      setStage('form');
    },
  };
};
