// For `npm start`: builds pages that are missing or older than their sources (0.3 s each), then starts the server.
import { buildPage } from '../../build/build-page.ts';

for (const folder of ['client', 'ops'] as const) {
  await buildPage(folder).catch((error: unknown) => {
    process.stderr.write(`The page of ${folder}/ could not be built: ${error}\n`);
  });
}
await import('./main.ts');
