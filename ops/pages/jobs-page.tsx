import { ActButtons } from '../acts/act-buttons.tsx';
import { createJobAct } from '../acts/acts.ts';
import { At, Empty, Shown } from '../parts/states.tsx';
import { hrefOf } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { items } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { JobProgress } from './job-page.tsx';

const texts = () => words().jobs;

export const JobsPage = () => (
  <>
    <div class="title-row">
      <div>
        <h1>{texts().title}</h1>
        <p class="soft">{texts().hint}</p>
      </div>
      <ActButtons acts={[createJobAct()]} label={texts().title} />
    </div>
    <Shown of={useAnswer('jobs', {}, {}, 3000)}>
      {({ jobs }) =>
        jobs.length === 0 ? (
          <Empty title={texts().empty} hint={texts().emptyHint} />
        ) : (
          <ul class="groups">
            {jobs.map((job) => (
              <li key={job.jobId} class="panel job">
                <p>
                  <a href={hrefOf(['jobs', job.jobId])}>
                    <b>{items(job.items)}</b>
                  </a>{' '}
                  <span class="soft">
                    {words().quoted({ text: job.reason })} · {job.actor} · <At ms={job.createdAtMs} />
                  </span>
                </p>
                <JobProgress job={job} />
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  </>
);
