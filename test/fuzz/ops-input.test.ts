// Row 17 of the promises, with a token: the mistakes of an operator, and the attempts of a thief.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpsRoute } from '../../shared/ops/act.ts';
import { opsActs } from '../../shared/ops/acts.ts';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { requestText, sendRaw, statusOf } from '../support/machine/raw-http.ts';
import { prove } from '../support/properties/prove.ts';
import { nasty } from './support/nasty.ts';
import { addressFor, inTime, RawClient } from './support/raw-client.ts';
import { SECRETS, scaled, sideBySide, startVictim, type Victim } from './support/victim.ts';

const REQUESTS = scaled(tries({ test: 1_000, proof: 4_000 }));
const SEED = Number(process.env.FUZZ_SEED ?? tries({ test: 1, proof: Math.floor(Math.random() * 2 ** 31) }));
const VIEWER = 'Yx82lRnV5wUo8MsC3zIdE6tK';
const ADMIN = SECRETS.OPS_TOKENS.split(':')[2] ?? '';
const SOMEBODY = 'guest:somebody';

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim({ OPS_TOKENS: `${SECRETS.OPS_TOKENS},see:viewer:${VIEWER}` });
  const somebody = await RawClient.join(victim, SOMEBODY);
  await somebody.ask('home:adopt', { commandId: 'somebody-adopts', name: 'Calm', species: 'dog' });
  await somebody.leave();
});
afterAll(() => victim.close());

interface OpsRequest {
  readonly route: OpsRoute;
  readonly part: string;
  readonly query: string;
  readonly body: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
/** Percent-encoded whatever it is: half a character, too. */
const encoded = (value: unknown): string => encodeURIComponent(text(value).toWellFormed().slice(0, 800));

const requests: fc.Arbitrary<OpsRequest> = fc
  .record({
    route: fc.constantFrom(...Object.values<OpsRoute>(opsActs)),
    part: fc.oneof(fc.constantFrom(SOMEBODY, `${SOMEBODY}~p2`, '1'), nasty.map(encoded)),
    query: fc.array(
      fc.tuple(
        fc.constantFrom('q', 'limit', 'beforeSeq', 'state', 'kind', 'owner', 'after', 'fromMs', 'window', '__proto__'),
        nasty.map(encoded),
      ),
      { maxLength: 3 },
    ),
    // Never a command's id that is one: nothing of it may be done.
    body: fc.record(
      {
        commandId: nasty.filter((id) => typeof id !== 'string'),
        reason: nasty,
        items: nasty,
        byMs: nasty,
        into: nasty,
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ query, body, ...rest }) => ({
    ...rest,
    query: query.map(([key, value]) => `${key}=${value}`).join('&'),
    body: JSON.stringify(body),
  }));

const everything = async (): Promise<unknown> => {
  const rows = ['home', 'thing', 'event', 'timer', 'timer_due', 'home_hold', 'job', 'audit'].map((table) =>
    victim.pool.query(`select to_jsonb(t) as row from kibble.${table} t order by 1`),
  );
  return (await Promise.all(rows)).map((found) => found.rows);
};

it(`${REQUESTS} wrong requests of operators change nothing and fail nowhere (seed ${SEED})`, {
  timeout: HANG_MS,
}, async (context) => {
  const before = await everything();
  const statuses = new Map<number, number>();
  const failed: string[] = [];

  await sideBySide(REQUESTS, 6, async (at) => {
    const [asked] = fc.sample(requests, { numRuns: 1, seed: SEED + at });
    if (!asked) return;
    const { route, part, query, body } = asked;
    const path = `/ops/api${route.path.replace(/:\w+/, part)}${query === '' ? '' : `?${query}`}`.slice(0, 4_000);
    const answer = await inTime(
      sendRaw(
        victim.address,
        requestText(
          `${route.method} ${path}`,
          {
            Authorization: `Bearer ${at % 2 === 0 ? ADMIN : VIEWER}`,
            'X-Forwarded-For': addressFor(`ops ${at}`),
            'Content-Type': 'application/json',
          },
          route.method === 'POST' ? body : '',
        ),
      ),
      path,
    );
    const status = statusOf(answer);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const isRead = route.method === 'GET';
    // An answer there is, no fault of ours, and no write is accepted.
    if (!(status >= (isRead ? 200 : 400) && status < 500)) failed.push(`${route.method} ${path} ${body}: ${answer}`);
  });

  console.info(`operators' requests: ${JSON.stringify({ ...Object.fromEntries(statuses), seed: SEED })}`);
  expect(failed).toEqual([]);
  expect(statuses.get(403)).toBeGreaterThan(0);
  expect(statuses.get(400)).toBeGreaterThan(0);
  expect(await everything()).toEqual(before);
  expect(victim.server.said()).not.toContain(VIEWER);
  expect((await fetch(`${victim.address}/readyz`)).status).toBe(200);
  // What was answered was right by chance: a read without anything wrong in it.
  prove(context, { row: 17, tries: REQUESTS - (statuses.get(200) ?? 0), of: 'bad inputs' });
});
