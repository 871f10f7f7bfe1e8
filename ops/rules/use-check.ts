import { useState } from 'preact/hooks';
import type { Difference } from '../../shared/differences.ts';
import { type AskFault, faultOf } from '../session/ask.ts';
import { newCommandId } from '../session/platform.ts';
import { useSession } from '../session/use-session.ts';

/** The result of the check of a text. */
export type Checked =
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'faults'; readonly faults: readonly string[] }
  | { readonly kind: 'differences'; readonly config: unknown; readonly differences: readonly Difference[] }
  | { readonly kind: 'unanswered'; readonly fault: AskFault };

/** Checks rules with a dry run of their change: nothing is done. */
export const useCheck = (module: string, expectedVersion: number) => {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState<{ readonly text: string; readonly over: number; readonly checked: Checked }>();

  const ask = async (text: string): Promise<Checked> => {
    let config: unknown;
    try {
      config = JSON.parse(text);
    } catch (error) {
      return { kind: 'malformed', message: error instanceof Error ? error.message : '' };
    }
    const order = { config, expectedVersion, reason: 'a check', commandId: newCommandId() };
    try {
      const { answer } = await session.ask('replaceRules', { module }, { ...order, dryRun: true });
      return { kind: 'differences', config, differences: answer.differences };
    } catch (error) {
      const fault = faultOf(error);
      const { faults } = fault.params;
      return Array.isArray(faults) && fault.code === 'rules/refused'
        ? { kind: 'faults', faults: faults.map(String) }
        : { kind: 'unanswered', fault };
    }
  };

  return {
    isBusy,
    /** The result for this very text over the version in force; undefined: it was not checked. */
    of: (text: string): Checked | undefined =>
      found?.text === text && found.over === expectedVersion ? found.checked : undefined,
    check: async (text: string): Promise<void> => {
      setBusy(true);
      setFound({ text, over: expectedVersion, checked: await ask(text) });
      setBusy(false);
    },
  };
};
