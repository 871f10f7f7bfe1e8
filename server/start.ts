// What `npm start` runs: builds the playable page when it is missing or older than its sources (0.3 s), then the server.
import { buildPage } from './build-page.ts';

await buildPage('client').catch((error: unknown) => {
  process.stderr.write(`The playable page could not be built: ${error}\n`);
});
await import('./main.ts');
