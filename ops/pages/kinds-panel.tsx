import type { OpsKind } from '../../shared/ops/ops-timer.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { kindActs } from '../acts/acts.ts';
import { Panel } from '../parts/states.tsx';
import { hrefOf } from '../session/route.ts';
import { words } from '../words/words.ts';

const texts = () => words().overview;

/** All kinds, and which of them are paused. */
export const KindsPanel = ({ kinds }: { readonly kinds: readonly OpsKind[] }) => (
  <Panel title={texts().kinds}>
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{words().timers.kind}</th>
          <th scope="col">{words().timers.state}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind.kind} data-kind={kind.kind}>
            <td data-label={words().timers.kind}>
              <a href={hrefOf(['timers'], { kind: kind.kind })}>{kind.kind}</a>
            </td>
            <td data-label={words().timers.state}>{kind.isPaused ? texts().paused : texts().fires}</td>
            <td>
              <ActButtons acts={kindActs(kind)} label={kind.kind} isQuiet />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Panel>
);
