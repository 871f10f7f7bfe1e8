// A process that says when it is there, and when it is asked to end.
process.on('SIGTERM', () => {
  process.stdout.write('asked to end\n');
  process.exit(0);
});
setInterval(() => undefined, 60_000);
process.stdout.write('there\n');
