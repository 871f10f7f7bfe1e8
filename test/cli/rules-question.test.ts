import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { runAtTerminal } from '../support/game/kibble-command.ts';

/** A server with these rules in force, and the bodies of the writes that it gets. */
const rulesServer = async (rules: { readonly version: number }) => {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    const isWrite = request.method === 'POST';
    if (isWrite) bodies.push(await json(request));
    const reply = isWrite ? { isDryRun: false, answer: { version: 9, differences: [] } } : { ...rules, config: {} };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
};

/** Runs the command for an operator who sees each question and agrees. */
const agreeing = (args: readonly string[], onQuestion: (question: string) => void): Promise<number> =>
  runAtTerminal(args, {
    isForReader: true,
    canAsk: true,
    ask: async (question) => {
      onQuestion(question);
      return 'y';
    },
  });

it.each(['apply', 'roll-back'])('rules %s sends the version that its question named', async (act) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'works.json');
  writeFileSync(file, '{}');
  const rules = { version: 3 };
  const { url, bodies } = await rulesServer(rules);
  const what = act === 'apply' ? file : '1';
  const questions: string[] = [];
  const code = await agreeing(['rules', act, 'works', what, '--url', url, '--reason', 'a change'], (question) => {
    questions.push(question);
    // A colleague's change, while the question waits.
    rules.version = 4;
  });
  expect({ code, questions }).toEqual({ code: 0, questions: [expect.stringContaining('version 3')] });
  expect(bodies).toMatchObject([{ expectedVersion: 3 }]);
});
