/** How far a job is, in its own row. `schema` is a checked identifier. */
export const addJobCounts = (schema: string): string => `
alter table "${schema}".job
  add column total     integer not null default 0,
  add column done      integer not null default 0,
  add column refusals  jsonb   not null default '{}';
update "${schema}".job j set total = c.total, done = c.done, refusals = c.refusals
  from (
    select job_id, sum(count) as total, coalesce(sum(count) filter (where state = 'done'), 0) as done,
      coalesce(jsonb_object_agg(code, count) filter (where state = 'refused'), '{}') as refusals
    from (select job_id, state, code, count(*) as count from "${schema}".job_target group by job_id, state, code) t
    group by job_id) c
  where c.job_id = j.job_id;
`;

export const dropJobCounts = (schema: string): string =>
  `alter table "${schema}".job drop column refusals, drop column done, drop column total;`;
