import { useState } from 'preact/hooks';
import { opsRoutes } from '../../shared/ops-routes.ts';
import type { Act } from '../act.ts';
import { useSession } from '../use-session.ts';
import { words } from '../words/words.ts';
import { ActDialog } from './act-dialog.tsx';

interface Props {
  readonly acts: readonly Act[];
  /** Says what these act on, where several groups stand together. */
  readonly label: string;
}

/** What the operator's role may do; where that is nothing, which role may. */
export const ActButtons = ({ acts, label }: Props) => {
  const session = useSession();
  const [open, setOpen] = useState<Act>();
  const role = session.me.value?.role ?? 'viewer';
  const allowed = acts.filter(({ route }) => session.mayUse(route));
  const [first] = acts;
  if (!first) return null;
  return (
    <fieldset class="acts">
      <legend class="hidden-text">{label}</legend>
      {allowed.map((act) => (
        <button
          key={act.route}
          type="button"
          data-act={act.route}
          class={act.isDanger ? 'button button-danger' : 'button'}
          onClick={() => setOpen(act)}
        >
          {act.words.title}
        </button>
      ))}
      {allowed.length === 0 ? (
        <p class="soft read-only">{words.player.readOnly({ role, needs: opsRoutes[first.route].role })}</p>
      ) : undefined}
      {open ? <ActDialog act={open} onClose={() => setOpen(undefined)} /> : undefined}
    </fieldset>
  );
};
