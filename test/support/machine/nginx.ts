import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fetchPackages } from './debian-release.ts';

export interface Nginx {
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

const cache = path.join(import.meta.dirname, '../../../node_modules/.cache/kibble/nginx');
const fetched = path.join(cache, 'usr/sbin/nginx');
const libraries = ['usr/lib', 'lib'].flatMap((at) =>
  ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((machine) => path.join(cache, at, machine)),
);
const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };

const runs = (program: string): boolean => spawnSync(program, ['-v'], { env }).status === 0;

/** The program: one on PATH, or Debian's and Ubuntu's without root. Undefined: there is none here. */
export const findNginx = (): string | undefined => {
  for (const program of ['nginx', '/usr/sbin/nginx']) if (runs(program)) return program;
  if (!existsSync(fetched)) {
    mkdirSync(path.dirname(cache), { recursive: true });
    fetchPackages(cache, ['nginx'], ['libpcre2-8-0', 'libssl3', 'zlib1g', 'libcrypt1']);
  }
  return runs(fetched) ? fetched : undefined;
};

/** Runs it with what stands in its `http`, and files beside it. Resolves when it listens. */
export const startNginx = async (
  program: string,
  {
    http,
    files,
    port,
  }: { readonly http: string; readonly files: Readonly<Record<string, string>>; readonly port: number },
): Promise<Nginx> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = [
    'daemon off; master_process off; pid nginx.pid; error_log stderr crit;',
    'events { worker_connections 256; }',
    `http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`,
    `${http} }`,
  ].join('\n');
  writeFileSync(path.join(folder, 'nginx.conf'), config);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'];
  const child: ChildProcess = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const isUp = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  while (child.exitCode === null && !(await isUp()));
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
