// Before each test file, and in programs that start servers: after a SIGTERM (vitest ends its workers so) no hook of
// `exit` would run, and servers that are left would go on.
const done = Symbol.for('kibble.end-on-sigterm');
if (!(done in process)) {
  Object.assign(process, { [done]: true });
  process.once('SIGTERM', () => process.exit(143));
}
