import type { OpsJob } from '../../shared/ops/ops-answers.ts';
import { ActButtons } from '../acts/act-buttons.tsx';
import { jobActs } from '../acts/acts.ts';
import { At, Mark, Panel, Shown } from '../parts/states.tsx';
import { useAnswer } from '../session/use-session.ts';
import { items, number } from '../words/formats.ts';
import { words } from '../words/words.ts';

const texts = () => words().jobs;
const EVERY_MS = 3000;

export const JobPage = ({ jobId }: { readonly jobId: string }) => (
  <>
    <h1 class="id-title">
      <span class="soft">{texts().job}</span> {jobId}
    </h1>
    <Shown of={useAnswer('job', { jobId }, {}, EVERY_MS)}>
      {(job) => (
        <>
          <section class="panel summary" aria-label={texts().job}>
            <JobProgress job={job} />
            <dl class="facts">
              <div>
                <dt>{texts().items}</dt>
                <dd>{items(job.items)}</dd>
              </div>
              <div>
                <dt>{texts().reason}</dt>
                <dd>{words().quoted({ text: job.reason })}</dd>
              </div>
              <div>
                <dt>{texts().by}</dt>
                <dd>{job.actor}</dd>
              </div>
              <div>
                <dt>{texts().made}</dt>
                <dd>
                  <At ms={job.createdAtMs} />
                </dd>
              </div>
              <div>
                <dt>{texts().refused}</dt>
                <dd>{number(job.refused)}</dd>
              </div>
            </dl>
            <ActButtons acts={jobActs(job)} label={words().player.actions} />
          </section>
          {job.refused > 0 ? (
            <Panel title={texts().refusals}>
              <ul class="items">
                {Object.entries(job.refusals).map(([code, count]) => (
                  <li key={code}>
                    <code>{code}</code> <b>{number(count)}</b>
                  </li>
                ))}
              </ul>
            </Panel>
          ) : undefined}
        </>
      )}
    </Shown>
  </>
);

export const JobProgress = ({ job }: { readonly job: OpsJob }) => {
  const { state, done, refused, total, perSecond } = job;
  const left = total - done - refused;
  return (
    <div class="job-progress" data-job={state}>
      <Mark tone={tones[state]}>{texts().states[state]}</Mark>
      <progress max={Math.max(1, total)} value={done + refused} aria-label={texts().progress} />
      <span>
        {texts().of({ done: number(done), total: number(total) })}
        {state === 'running' && left > 0 && left < total ? (
          <span class="soft"> · {texts().pace({ perSecond })}</span>
        ) : undefined}
      </span>
    </div>
  );
};

const tones = { running: 'sky', stopped: 'honey', done: 'leaf' } as const;
