import type { OpsThing } from '../../shared/ops/ops-thing.ts';
import { instant } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { At, Mark } from './states.tsx';

const texts = () => words().player;

interface Props {
  readonly thing: Pick<OpsThing, 'dueAtMs' | 'isOverdue' | 'waitingSinceMs'>;
  readonly nowMs: number;
}

/** The next event of a thing: at a time, when it can go on, or never. */
export const DueOf = ({ thing: { dueAtMs, isOverdue, waitingSinceMs }, nowMs }: Props) => {
  if (dueAtMs !== undefined) {
    return (
      <p class="thing-due">
        {texts().due} <At ms={dueAtMs} nowMs={nowMs} isRelative />{' '}
        {isOverdue ? (
          <span title={texts().overdueHint}>
            <Mark tone="danger">{texts().isOverdue}</Mark>
          </span>
        ) : undefined}
      </p>
    );
  }
  if (waitingSinceMs === undefined) return <p class="soft">{texts().rests}</p>;
  return (
    <p>
      <Mark tone="honey">{texts().waits}</Mark> <At ms={waitingSinceMs} nowMs={nowMs} isRelative />
    </p>
  );
};

export const Boost = ({ work, nowMs }: { readonly work: OpsThing['work']; readonly nowMs: number }) => {
  const { boost } = work ?? {};
  if (!boost || boost.endsAtMs <= nowMs) return null;
  return (
    <p class="marks">
      <Mark tone="plum">{texts().boost({ rate: boost.rate, until: instant(boost.endsAtMs, nowMs) })}</Mark>
    </p>
  );
};
