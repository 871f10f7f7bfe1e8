import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Writes the first line of each error that no test carries to the file of `UNHANDLED_ERRORS`: Vitest's JSON omits them. */
class UnhandledReporter implements Reporter {
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    // Any value can be thrown.
    const lines = errors.map(({ message }) => String(message).split('\n')[0]);
    writeFileSync(process.env.UNHANDLED_ERRORS ?? '', JSON.stringify(lines));
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest finds a reporter by its file alone.
export default UnhandledReporter;
