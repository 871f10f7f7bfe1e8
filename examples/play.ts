// `npm run play`: the server and its page with meals of seconds instead of hours. Its data are not those of `npm start`.
import path from 'node:path';

process.env.RULES_FILE ??= path.join(import.meta.dirname, 'support/rules-in-seconds.json');
process.env.DATA_DIR ??= '.kibble/play';
await import('../server/reference/start.ts');
