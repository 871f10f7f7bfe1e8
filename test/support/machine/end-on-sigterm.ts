// Before each test file: vitest ends its workers by SIGTERM, after which no hook of `exit` would run, and servers that a
// failed test has left would go on.
const done = Symbol.for('kibble.end-on-sigterm');
if (!(done in process)) {
  Object.assign(process, { [done]: true });
  process.once('SIGTERM', () => process.exit(143));
}
