import { useState } from 'preact/hooks';
import type { OpsUpcoming } from '../../shared/ops/ops-answers.ts';
import { hrefOf } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { instant, number } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { Panel, Shown } from './states.tsx';

const texts = () => words().overview;
const windows = ['1h', '24h', '7d'] as const;
const EVERY_MS = 15_000;
const [WIDTH, HEIGHT] = [560, 150];

/** The number of timers by fire time. Each bar links to its list. */
export const UpcomingPanel = () => {
  const [window, choose] = useState<OpsUpcoming['window']>('1h');
  return (
    <Panel
      title={texts().upcoming}
      aside={
        <fieldset class="switch">
          <legend class="hidden-text">{texts().window}</legend>
          {windows.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="window"
                class="hidden-text"
                checked={name === window}
                onChange={() => choose(name)}
              />
              <span>{texts().windows[name]}</span>
            </label>
          ))}
        </fieldset>
      }
    >
      <Shown of={useAnswer('upcoming', {}, { window }, EVERY_MS)}>{(upcoming) => <Bars upcoming={upcoming} />}</Shown>
    </Panel>
  );
};

const Bars = ({ upcoming: { buckets, later, nowMs, countedTo } }: { readonly upcoming: OpsUpcoming }) => {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const inside = buckets.reduce((sum, { count }) => sum + count, 0);
  const to = most < countedTo ? undefined : 0;
  const step = WIDTH / buckets.length;
  const [first, middle, last] = [buckets[0], buckets[Math.floor(buckets.length / 2)], buckets.at(-1)];
  return (
    <>
      <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <title>{texts().upcoming}</title>
        {buckets.map(({ fromMs, toMs, count }, at) => {
          const height = Math.max(5, (count / most) * (HEIGHT - 8));
          const label = texts().upcomingBar({
            from: instant(fromMs, nowMs),
            to: instant(toMs, nowMs),
            count: number(count, countedTo),
          });
          const space = <rect class="bar-space" x={at * step} y={0} width={step} height={HEIGHT} />;
          // An empty list has no link, so the keyboard skips it.
          if (count === 0) {
            return (
              <g key={fromMs}>
                <title>{label}</title>
                {space}
                <rect class="bar bar-none" x={at * step + step * 0.1} y={HEIGHT - 2} width={step * 0.8} height={2} />
              </g>
            );
          }
          return (
            <a
              key={fromMs}
              href={hrefOf(['timers'], { state: 'scheduled', fromMs, toMs })}
              aria-label={label}
              data-count={count}
            >
              <title>{label}</title>
              {space}
              <rect
                class="bar"
                x={at * step + step * 0.1}
                y={HEIGHT - height}
                width={step * 0.8}
                height={height}
                rx={2}
              />
            </a>
          );
        })}
      </svg>
      <p class="bars-axis soft" aria-hidden="true">
        {[first?.fromMs, middle?.fromMs, last?.toMs].map((ms) => (
          <span key={ms}>{ms === undefined ? '' : instant(ms, nowMs).replace(/:\d\d$/, '')}</span>
        ))}
      </p>
      <p class="soft">{texts().upcomingSum({ inside: number(inside, to), later: number(later, countedTo) })}</p>
    </>
  );
};
