import type { OpsAudit } from '../../shared/ops/ops-timer.ts';
import { words } from '../words/words.ts';
import { At } from './states.tsx';

/** One whole entry, as shown after a write. */
export const AuditEntry = ({ entry }: { readonly entry: OpsAudit }) => (
  <section class="audit-entry" aria-label={words().audit.entry}>
    <h3>{words().audit.entry}</h3>
    <p>
      <b>{entry.actor}</b> {entry.action} <code>{entry.target}</code> <At ms={entry.atMs} />
    </p>
    <p class="soft">{words().quoted({ text: entry.reason })}</p>
    <Change entry={entry} />
  </section>
);

export const Change = ({ entry: { before, after } }: { readonly entry: OpsAudit }) => (
  <details class="change">
    <summary>{words().audit.change}</summary>
    <pre>{pretty(before)}</pre>
    <pre>{pretty(after)}</pre>
  </details>
);

export const pretty = (value: unknown): string => (value === undefined ? '—' : JSON.stringify(value, undefined, 1));
