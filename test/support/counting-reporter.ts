import path from 'node:path';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node';

const root = path.join(import.meta.dirname, '../..');
/** Where no terminal keeps a line to write over: a line now and then. */
const EVERY_FILES = 25;

interface ConsoleLog {
  readonly taskId?: string;
  readonly content: string;
}

interface Output {
  readonly write?: (text: string) => unknown;
  readonly isForReader?: boolean;
}

/**
 * The output of `npm test`: the number of finished files, each failure with its message, and the reasons of skipped
 * tests. Of what passes nothing else is shown.
 */
class CountingReporter implements Reporter {
  readonly #write: (text: string) => unknown;
  readonly #isForReader: boolean;
  #files = 0;
  #done = 0;
  #failed = 0;
  readonly #said = new Map<string, string>();
  readonly #skipped: string[] = [];

  /** Vitest gives what its configuration has for a reporter: nothing. */
  constructor({ write, isForReader }: Output = {}) {
    this.#write = write ?? ((text) => process.stdout.write(text));
    this.#isForReader = isForReader ?? process.stdout.isTTY === true;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    this.#count();
  }

  onUserConsoleLog({ taskId = '', content }: ConsoleLog): void {
    this.#said.set(taskId, (this.#said.get(taskId) ?? '') + content);
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    const name = `${fileOf(test.module)} > ${test.fullName}`;
    const said = this.#said.get(test.id) ?? '';
    this.#said.delete(test.id);
    if (result.state === 'skipped') this.#skipped.push(`${name}: ${result.note ?? 'what it needs is not here'}`);
    if (result.state !== 'failed') return;
    this.#failed += 1;
    this.#tell(name, result.errors, said);
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.#tell(`${fileOf(suite.module)} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#tell(fileOf(module), module.errors(), this.#said.get(module.id));
    this.#done += 1;
    this.#count();
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#tell('outside of any test', unhandled);
    for (const line of this.#skipped) this.#line(`skipped: ${line}`);
  }

  #tell(name: string, errors: readonly SerializedError[], said = ''): void {
    if (errors.length === 0) return;
    const why = errors.map(({ stack, message, diff }) => [stack ?? message, ...(diff ? [diff] : [])].join('\n'));
    this.#line([`${styleText('red', '✗')} ${name}`, ...why, ...(said ? [said.trimEnd()] : [])].join('\n'));
  }

  #count(): void {
    const line = `${this.#done} of ${this.#files} files, ${this.#failed} tests failed`;
    if (this.#isForReader) this.#write(`\r\u001b[K${line}${this.#done === this.#files ? '\n' : ''}`);
    else if (this.#done % EVERY_FILES === 0 || this.#done === this.#files) this.#write(`${line}\n`);
  }

  #line(text: string): void {
    this.#write(this.#isForReader ? `\r\u001b[K${text}\n` : `${stripVTControlCharacters(text)}\n`);
  }
}

const fileOf = (module: TestModule): string => path.relative(root, module.moduleId);

// biome-ignore lint/style/noDefaultExport: Vitest finds a reporter by its file alone.
export default CountingReporter;
