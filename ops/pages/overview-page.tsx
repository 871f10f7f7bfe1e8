import { Icon } from '../../client/look/icons.tsx';
import type { OpsOverview } from '../../shared/ops/ops-answers.ts';
import { Lines } from '../parts/lines.tsx';
import { Panel, Shown } from '../parts/states.tsx';
import { UpcomingPanel } from '../parts/upcoming-panel.tsx';
import { hrefOf } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { brief, number, processName } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { IndexPanel } from './index-panel.tsx';
import { KindsPanel } from './kinds-panel.tsx';

const texts = () => words().overview;
const EVERY_MS = 5000;

export const OverviewPage = () => {
  const loaded = useAnswer('overview', {}, {}, EVERY_MS);
  return (
    <>
      <h1 class="hidden-text">{words().nav.overview}</h1>
      <Shown of={loaded}>
        {(overview) => (
          <>
            {overview.degraded.length > 0 ? (
              <div class="note note-fault" role="alert">
                <Icon name="warning" />
                <p>
                  <b>{texts().degraded}: </b>
                  {overview.degraded.join(words().list)}
                </p>
              </div>
            ) : undefined}
            <Tiles overview={overview} />
            <div class="columns">
              <Lateness overview={overview} />
              <Commands overview={overview} />
            </div>
            <Lanes overview={overview} />
            <KindsPanel kinds={overview.kinds} />
          </>
        )}
      </Shown>
      <div class="columns">
        <UpcomingPanel />
        <IndexPanel process={loaded.answer?.process} />
      </div>
    </>
  );
};

const Tiles = ({ overview }: { readonly overview: OpsOverview }) => {
  const { pending, overdue, oldestOverdueMs, dead, stuck, players, process, nowMs, countedTo } = overview;
  return (
    <ul class="tiles">
      <Tile name="pending" title={texts().pending} value={number(pending, countedTo)} href={hrefOf(['timers'])} />
      <Tile
        name="overdue"
        title={texts().overdue}
        value={number(overdue, countedTo)}
        hint={overdue > 0 ? texts().oldest({ span: brief(oldestOverdueMs) }) : texts().onTime}
        tone={overdue > 0 ? 'honey' : 'leaf'}
        // Up to the end of this very millisecond: a timer that is due now is overdue.
        href={hrefOf(['timers'], { state: 'scheduled', toMs: nowMs + 1 })}
      />
      <Tile
        name="dead"
        title={texts().dead}
        value={number(dead)}
        hint={texts().deadHint}
        tone={dead > 0 ? 'danger' : 'leaf'}
        href={hrefOf(['timers'], { state: 'dead', failed: 'true' })}
      />
      <Tile
        name="stuck"
        title={texts().stuck}
        value={number(stuck)}
        hint={texts().stuckHint}
        tone={stuck > 0 ? 'honey' : 'leaf'}
        href={hrefOf(['failed'])}
      />
      <Tile
        name="rate"
        title={texts().rate}
        value={number(process.commandsPerSecond)}
        hint={texts().rateHint({ process: processName(process.name) })}
      />
      <Tile name="players" title={texts().players} value={number(players, countedTo)} />
    </ul>
  );
};

interface TileProps {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly hint?: string;
  readonly tone?: string;
  readonly href?: string;
}

const Tile = ({ name, title, value, hint, tone = 'plain', href }: TileProps) => {
  const inside = (
    <>
      <span class="tile-title">{title}</span>
      <span class="tile-value" data-tile={name}>
        {value}
      </span>
      {hint ? <span class="tile-hint">{hint}</span> : undefined}
    </>
  );
  return (
    <li class={`tile tile-${tone}`}>
      {href ? (
        <a class="tile-inside" href={href}>
          {inside}
        </a>
      ) : (
        <div class="tile-inside">{inside}</div>
      )}
    </li>
  );
};

/** A kind with slow handlers shows here first. */
const Lanes = ({ overview: { process } }: { readonly overview: OpsOverview }) => {
  const busy = process.lanes.filter(({ running, waiting }) => running + waiting > 0);
  return busy.length === 0 ? undefined : (
    <Panel title={texts().lanes} hint={texts().lanesHint({ process: processName(process.name) })}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words().timers.kind}</th>
            <th scope="col">{texts().running}</th>
            <th scope="col">{texts().waiting}</th>
          </tr>
        </thead>
        <tbody>
          {busy.map(({ kind, running, waiting }) => (
            <tr key={kind}>
              <td data-label={words().timers.kind}>{kind}</td>
              <td data-label={texts().running}>{number(running)}</td>
              <td data-label={texts().waiting}>{number(waiting)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
};

const Lateness = ({ overview: { process, nowMs } }: { readonly overview: OpsOverview }) => {
  const { lateness, name } = process;
  const last = lateness.at(-1);
  return (
    <Panel
      title={texts().lateness}
      hint={texts().latenessHint({ process: processName(name) })}
      aside={
        last ? (
          <p class="legend">
            <span class="key key-accent">
              {texts().p99} {brief(last.p99Ms)}
            </span>
            <span class="key key-sky">
              {texts().p50} {brief(last.p50Ms)}
            </span>
          </p>
        ) : undefined
      }
    >
      {last ? (
        <Lines
          label={`${texts().p50} ${brief(last.p50Ms)}, ${texts().p99} ${brief(last.p99Ms)}`}
          atMs={lateness.map(({ fromMs }) => fromMs)}
          nowMs={nowMs}
          lines={[
            { label: texts().p99, colour: '--accent', values: lateness.map(({ p99Ms }) => p99Ms), isFilled: true },
            { label: texts().p50, colour: '--sky', values: lateness.map(({ p50Ms }) => p50Ms) },
          ]}
          unit={brief}
        />
      ) : (
        <p class="soft chart-empty">{texts().noLateness}</p>
      )}
    </Panel>
  );
};

const Commands = ({ overview: { process, nowMs } }: { readonly overview: OpsOverview }) => {
  const { fromMs, everyMs, perSecond } = process.commands;
  return (
    <Panel title={texts().commands} hint={texts().commandsHint({ process: processName(process.name) })}>
      {perSecond.length < 2 ? (
        <p class="soft chart-empty">{texts().noCommands}</p>
      ) : (
        <Lines
          label={`${texts().commands}: ${number(process.commandsPerSecond)}`}
          atMs={perSecond.map((_, at) => fromMs + at * everyMs)}
          nowMs={nowMs}
          lines={[{ label: texts().commands, colour: '--leaf', values: perSecond, isFilled: true }]}
          unit={number}
        />
      )}
    </Panel>
  );
};
