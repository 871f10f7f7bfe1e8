import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { runAtTerminal } from '../support/game/kibble-command.ts';

interface Request {
  readonly path: string;
  readonly body: { readonly commandId?: string; readonly dryRun?: boolean };
}

/** Replies with `answer` of each request; undefined: the connection breaks, `response` is the test's. */
const serverWith = async (answer: (request: Request, response: ServerResponse) => object | undefined) => {
  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? ((await json(request)) as Request['body']) : {};
    const reply = answer({ path: request.url ?? '', body }, response);
    if (reply) response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
    else if (!response.writableEnded) request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const run = async (url: string, args: readonly string[], signal = new AbortController().signal) => {
  const notes: string[] = [];
  let names = 0;
  const code = await runAtTerminal([...args, '--url', url, '--yes', '--reason', 'a present'], {
    note: (line) => notes.push(line),
    uniqueName: () => `command-${++names}`,
    signal,
  });
  return { code, notes: notes.join('\n') };
};

const grant = ['players', 'grant', 'ann', '--items', 'gold=5'];

it.each(['breaks the connection', 'is a gateway'])('a write names its commandId when what replies %s', async (kind) => {
  let sent: string | undefined;
  const url = await serverWith(({ body }, response) => {
    sent = body.commandId;
    if (kind === 'is a gateway') response.writeHead(504).end('<h1>Gateway Timeout</h1>');
    return undefined;
  });
  const { code, notes } = await run(url, grant);
  expect(code).toBe(1);
  expect(sent).toBe('command-1');
  expect(notes).toContain('it may be done: run the same command again with --command-id command-1');
});

it('a dry run has done nothing', async () => {
  const { notes } = await run(await serverWith(() => undefined), [...grant, '--dry-run']);
  expect(notes).toContain('no server answers');
  expect(notes).not.toContain('it may be done');
});

it('a read has nothing to repeat', async () => {
  const { code, notes } = await run(await serverWith(() => undefined), ['jobs', 'ls']);
  expect({ code, notes }).toEqual({ code: 1, notes: expect.stringContaining('no server answers') });
  expect(notes).not.toContain('--command-id');
});

const give = ['jobs', 'create', '--items', 'gold=5'];
const counted = { isDryRun: true, answer: { count: 3, sample: ['ann'] } };
const job = { jobId: 'a-job', state: 'running', done: 0, refused: 0, total: 3, items: { gold: 5 }, refusals: {} };
const over = { ...job, state: 'done', done: 3, actor: 'ada', createdAtMs: 0, reason: 'a present' };

it('a job is followed through a restart of the server, and its id is said before', async () => {
  let polls = 0;
  const url = await serverWith(({ path, body }) => {
    if (body.dryRun) return counted;
    if (body.commandId) return { isDryRun: false, commandId: 'a-job', answer: { ...counted.answer, job } };
    expect(path).toContain('a-job');
    polls += 1;
    if (polls === 2 || polls === 3) return undefined;
    return polls < 5 ? job : over;
  });
  const { code, notes } = await run(url, give);
  expect({ code, polls }).toEqual({ code: 0, polls: 5 });
  expect(notes.match(/the job goes on/g)).toHaveLength(1);
  expect(notes.indexOf('job a-job')).toBeLessThan(notes.indexOf('no server answers'));
});

it('an interruption that does not reach the server does not say that the job stopped', async () => {
  const stopping = new AbortController();
  const url = await serverWith(({ body, path }) => {
    if (body.dryRun) return counted;
    if (path.endsWith('/stop')) return undefined;
    stopping.abort();
    return { isDryRun: false, commandId: 'a-job', answer: { ...counted.answer, job } };
  });
  const { code, notes } = await run(url, give, stopping.signal);
  expect(code).toBe(1);
  expect(notes).toContain('no server took the stop, so the job may go on: kibble jobs stop a-job');
  expect(notes).not.toMatch(/stopped|--command-id/);
});
