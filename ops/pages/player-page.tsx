import { useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import type { OpsPlayer, OpsPlayerTimers } from '../../shared/ops/ops-answers.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { playerActs } from '../acts/acts.ts';
import { AuditList } from '../parts/audit-list.tsx';
import { PlayerLog } from '../parts/player-log.tsx';
import { At, Empty, FaultNote, Panel, Shown } from '../parts/states.tsx';
import { TimerTable } from '../parts/timer-table.tsx';
import { AskFault } from '../session/ask.ts';
import { playerHref } from '../session/route.ts';
import { EVERY_MS, useAnswer, useSession } from '../session/use-session.ts';
import { instant, number } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { ThingTable } from './thing-table.tsx';

const tabs = ['home', 'log', 'timers', 'audit'] as const;

export const PlayerPage = ({ playerId, tab }: { readonly playerId: string; readonly tab: string }) => {
  const player = useAnswer('player', { playerId }, {}, EVERY_MS);
  return (
    <>
      <h1 class="id-title">
        <span class="soft">{words().player.title}</span> {playerId}
      </h1>
      <Shown of={player}>{(shown) => <Summary player={shown} />}</Shown>
      {/* Log, timers and audit can be read even if the home cannot. */}
      <nav class="tabs" aria-label={playerId}>
        {tabs.map((name) => (
          <a
            key={name}
            href={playerHref(playerId, name === 'home' ? undefined : name)}
            aria-current={tab === name ? 'page' : undefined}
          >
            {words().player.tabs[name]}
          </a>
        ))}
      </nav>
      <Tab playerId={playerId} tab={tab} player={player.answer} />
    </>
  );
};

const Summary = ({ player }: { readonly player: OpsPlayer }) => (
  <section class="panel summary" aria-label={words().player.title}>
    {player.frozenAtMs === undefined ? undefined : (
      <p class="note">
        <Icon name="stop" />
        {words().player.frozen({ since: instant(player.frozenAtMs, player.nowMs) })}
      </p>
    )}
    <dl class="facts">
      <div>
        <dt>{words().player.seq}</dt>
        <dd>{number(player.seq)}</dd>
      </div>
      <div>
        <dt>{words().player.lastAt}</dt>
        <dd>
          <At ms={player.lastAtMs} nowMs={player.nowMs} isRelative />
        </dd>
      </div>
      <div>
        <dt>{words().player.overdue}</dt>
        <dd title={words().player.overdueHint}>{number(player.overdue)}</dd>
      </div>
      <div>
        <dt>{words().player.epoch}</dt>
        <dd>
          <code>{player.epoch}</code>
        </dd>
      </div>
    </dl>
    <ActButtons acts={playerActs(player)} label={words().player.actions}>
      <ExportButton playerId={player.playerId} />
    </ActButtons>
  </section>
);

interface TabProps {
  readonly playerId: string;
  readonly tab: string;
  readonly player: OpsPlayer | undefined;
}

const Tab = ({ playerId, tab, player }: TabProps) => {
  switch (tab) {
    case 'log':
      return <PlayerLog playerId={playerId} />;
    case 'timers':
      return <PlayerTimers playerId={playerId} />;
    case 'audit':
      return <AuditList target={`player:${playerId}`} />;
    default:
      return (
        player && (
          <>
            <ThingTable player={player} />
            <Items items={player.items} />
          </>
        )
      );
  }
};

const Items = ({ items }: Pick<OpsPlayer, 'items'>) => {
  const held = Object.entries(items).filter(([, count]) => count > 0);
  return (
    <Panel title={words().player.items}>
      {held.length === 0 ? (
        <p class="soft">{words().player.noItems}</p>
      ) : (
        <ul class="items">
          {held.map(([item, count]) => (
            <li key={item} data-item={item}>
              <span>{item}</span> <b>{number(count)}</b>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
};

const PlayerTimers = ({ playerId }: { readonly playerId: string }) => (
  <Panel title={words().timers.title}>
    <Shown of={useAnswer('playerTimers', { playerId }, {}, EVERY_MS)}>
      {({ timers, index, nowMs }) => (
        <>
          {timers.length === 0 ? (
            <Empty title={words().timers.none} />
          ) : (
            <TimerTable
              timers={timers}
              nowMs={nowMs}
              inIndex={index && new Map(index.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]))}
            />
          )}
          <IndexNote timers={timers} index={index} />
        </>
      )}
    </Shown>
  </Panel>
);

/** Notes beside the table: no index to compare with, or entries without a row. */
const IndexNote = ({ timers, index }: Pick<OpsPlayerTimers, 'timers' | 'index'>) => {
  if (index === undefined) return <p class="soft">{words().timers.noIndex}</p>;
  const rows = new Set(timers.map(({ timerId }) => timerId));
  const ghosts = index.filter(({ timerId }) => !rows.has(timerId));
  if (ghosts.length === 0) return null;
  return (
    <p class="soft" role="status">
      {words().timers.ghosts({ ids: ghosts.map(({ timerId }) => timerId).join(', ') })}
    </p>
  );
};

/** The browser makes the file: a download's address could not carry the token. */
const ExportButton = ({ playerId }: { readonly playerId: string }) => {
  const session = useSession();
  const [fault, setFault] = useState<AskFault>();
  if (!session.mayUse('exportPlayer')) return null;
  const download = async (): Promise<void> => {
    setFault(undefined);
    try {
      const data = await session.ask('exportPlayer', { playerId });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([JSON.stringify(data, undefined, 2)], { type: 'application/json' }));
      link.download = `${playerId}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      if (error instanceof AskFault) setFault(error);
    }
  };
  return (
    <>
      <button type="button" class="button" data-act="export" title={words().acts.exportPlayer.about} onClick={download}>
        {words().acts.exportPlayer.title}
      </button>
      {fault ? <FaultNote fault={fault} /> : undefined}
    </>
  );
};
