// Run directly (`node build/build-page.ts`, as in the Dockerfile) it builds both pages, and fails if it built none.
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
/** The sources of every page besides its own folder. */
const sources = ['{shared,client}/**/*.{ts,tsx,css,html,svg}', 'package-lock.json', 'build/build-page.ts'];

/**
 * Builds `<folder>/dist` from `<folder>/index.html` with Vite, if it is missing or older than its sources. Returns
 * whether there is a page: not if there was none and Vite, a development dependency, is not installed.
 */
export const buildPage = async (folder: 'client' | 'ops'): Promise<boolean> => {
  const dist = path.join(root, folder, 'dist');
  const builtAtMs = timeOf(path.join(dist, 'index.html'));
  const madeOf = globSync([...sources, `${folder}/**/*`], { cwd: root, exclude: ['**/dist/**', '**/dist'] });
  const changedAtMs = Math.max(...madeOf.map((file) => timeOf(path.join(root, file))));
  if (builtAtMs > changedAtMs) return true;
  // A development dependency: an image or a slim install uses the built page, or has none.
  const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
    // If it is installed and does not load, the install is faulty.
    if (error.code === 'ERR_MODULE_NOT_FOUND' && /'vite'/.test(error.message)) return undefined;
    throw error;
  });
  if (!vite) return existsSync(dist);
  // Another process may be reading or building, so the folder is replaced as a whole.
  const draft = `${dist}.${process.pid}`;
  await vite.build({
    configFile: false,
    root: path.join(root, folder),
    // A game may serve the operators' page under any path.
    base: folder === 'ops' ? './' : '/',
    logLevel: 'error',
    // Set without regard to NODE_ENV, because a development page is larger and reveals the paths of its sources.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: {
      alias: [
        // The other build makes functions from text, which the page's content policy forbids.
        { find: 'msgpackr', replacement: path.join(root, 'node_modules/msgpackr/dist/index-no-eval.min.js') },
        { find: /^\.\/input\/RoomInput\.mjs$/, replacement: path.join(root, 'client/page/no-input.ts') },
      ],
    },
    build: {
      outDir: draft,
      emptyOutDir: true,
      // The licences of the bundled packages ask for it.
      license: { fileName: 'licenses.md' },
      target: 'es2022',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'page', test: isAtOnce }] } } },
    },
  });
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(draft, dist);
  } catch {
    // Another process was quicker.
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
};

/** Everything that the page loads at once is one script, because two compress worse. Few players need the others. */
const isAtOnce = (id: string): boolean => !/\/ops\/rules\/|\/words\/([\w-]+-)?zh/.test(id);

const buildAll = async (): Promise<void> => {
  for (const folder of ['client', 'ops'] as const) {
    if (await buildPage(folder)) continue;
    process.stderr.write(`${folder}/dist was not built: vite is not installed\n`);
    process.exitCode = 1;
  }
};

const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (import.meta.main) await buildAll();
