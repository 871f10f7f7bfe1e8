import type { OpsIndex, OpsOverview } from '../../shared/ops/ops-answers.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { indexActs } from '../acts/acts.ts';
import { Mark, Panel, Shown } from '../parts/states.tsx';
import { useAnswer } from '../session/use-session.ts';
import { brief, number, processName } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().overview;

interface Props {
  /** The differences that the responding process found; undefined before its reply. */
  readonly process: OpsOverview['process'] | undefined;
}

export const IndexPanel = ({ process }: Props) => (
  <Panel title={texts().index}>
    <Shown of={useAnswer('index', {}, {}, 10_000)}>
      {(index) => (
        <>
          <p class="marks">
            <Mark tone="quiet">{texts().generation(index)}</Mark>
            <Mark tone="quiet">{texts().shards({ count: index.shards })}</Mark>
            {index.inside && (
              <Mark tone={index.isWhole ? 'leaf' : 'honey'}>{index.isWhole ? texts().whole : texts().notWhole}</Mark>
            )}
            {index.wantedShards === undefined ? undefined : (
              <Mark tone="honey">{texts().wanted({ shards: index.wantedShards })}</Mark>
            )}
          </p>
          {index.inside ? <Shards inside={index.inside} /> : <p class="note">{texts().away}</p>}
          {process ? <Differences process={process} /> : undefined}
          <ActButtons acts={indexActs(index)} label={texts().index} />
        </>
      )}
    </Shown>
  </Panel>
);

/** The process's name, as in the hints of other panels. */
const ownerOf = (owner: string | undefined): string =>
  owner === undefined ? texts().nobody : texts().ofProcess({ process: processName(owner) });

const Shards = ({ inside: { owners, counts, oldestUnackedMs } }: { inside: NonNullable<OpsIndex['inside']> }) => {
  const most = Math.max(1, ...counts);
  return (
    <>
      <ul class="shards">
        {counts.map((count, shard) => (
          <li key={shard}>
            <span class="soft">{shard}</span>
            <progress max={most} value={count} aria-label={`${texts().shard} ${shard}`} />
            <b>{number(count)}</b>
            <span class="soft shard-owner">{ownerOf(owners[shard])}</span>
          </li>
        ))}
      </ul>
      {oldestUnackedMs > 0 ? <p class="soft">{texts().unacked({ span: brief(oldestUnackedMs) })}</p> : undefined}
    </>
  );
};

/** The index's differences from the rows. */
const Differences = ({ process: { name, differences } }: { readonly process: OpsOverview['process'] }) => (
  <div class="differences">
    <p class="soft">{texts().differences({ process: processName(name) })}</p>
    <p class="marks">
      {(['missing', 'misplaced', 'ghosts'] as const).map((type) => (
        <Mark key={type} tone={differences[type] === 0 ? 'leaf' : 'honey'}>
          {texts()[type]} {number(differences[type])}
        </Mark>
      ))}
    </p>
  </div>
);
