import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { opsActs } from '../../shared/ops/acts.ts';
import { useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import type { Act } from './act.ts';
import { ActDialog } from './act-dialog.tsx';

interface Props {
  readonly acts: readonly Act[];
  /** The name of the group, if several groups stand together. */
  readonly label: string;
  /** Shows nothing for a role without the right: another part of the page says it. */
  readonly isQuiet?: boolean;
  /** Other possible actions. */
  readonly children?: ComponentChildren;
}

/** The acts of the operator's role; if there are none, the roles with the right. */
export const ActButtons = ({ acts, label, isQuiet = false, children }: Props) => {
  const session = useSession();
  const [open, setOpen] = useState<Act>();
  const role = session.me.value?.role ?? 'viewer';
  const allowed = acts.filter(({ route }) => session.mayUse(route));
  const others = acts.filter(({ route }) => !session.mayUse(route));
  // A dialog stays until it is closed, also when its own act has left nothing to do.
  if (acts.length === 0 && !open) return null;
  return (
    <fieldset class="acts">
      <legend class="hidden-text">{label}</legend>
      {/* By place: the focus stays where an act has become its opposite. */}
      {allowed.map((act, at) => (
        <button
          key={at}
          type="button"
          data-act={act.route}
          class={act.isDanger ? 'button button-danger' : 'button'}
          onClick={() => setOpen(act)}
        >
          {act.words.title}
        </button>
      ))}
      {children}
      {others.length === 0 || isQuiet ? undefined : (
        <p class="soft read-only">{whyNot(role, others, allowed.length === 0)}</p>
      )}
      {open ? <ActDialog act={open} onClose={() => setOpen(undefined)} /> : undefined}
    </fieldset>
  );
};

const whyNot = (role: string, acts: readonly Act[], isAll: boolean): string => {
  const needs = acts[0] ? opsActs[acts[0].route].role : '';
  if (isAll) return words().player.readOnly({ role, needs });
  return words().player.others({ acts: acts.map((act) => act.words.title).join(words().list), role: needs });
};
