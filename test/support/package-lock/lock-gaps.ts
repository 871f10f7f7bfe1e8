interface Lock {
  readonly packages: Record<string, Entry>;
}
interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockGap {
  readonly name: string;
  readonly version: string;
  readonly isDev: boolean;
}

/**
 * Platform packages that a package in package-lock.json names and that have no entry there. npm leaves one out when the
 * registry at the write of the lock did not have it, and `npm ci` then refuses the lock everywhere.
 */
export const lockGaps = (lock: string): readonly LockGap[] => {
  const { packages } = JSON.parse(lock) as Lock;
  return Object.entries(packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages))
      .map(([name, version]) => ({ name, version, isDev: entry.dev === true })),
  );
};

/** The lock with an entry for each gap. Exact versions only: a range would need the registry's answer. */
export const withoutGaps = (lock: string): string => {
  const parsed = JSON.parse(lock) as Lock;
  for (const { name, version, isDev } of lockGaps(lock)) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${name}@${version} is a range: pin it with "overrides"`);
    parsed.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(isDev && { dev: true }),
      optional: true,
    };
  }
  const sorted = Object.entries(parsed.packages).sort(([left], [right]) => left.localeCompare(right, 'en'));
  return `${JSON.stringify({ ...parsed, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
};

/** `@biomejs/cli-linux-x64-musl` -> os linux, cpu x64, libc musl: npm then does not even ask for it elsewhere. */
const platformOf = (name: string): Record<string, string[]> => {
  const parts = name.split(/[/-]/);
  const os = parts.find((part) => ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].includes(part));
  const cpu = parts.find((part) => ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'].includes(part));
  const [, libc] = /-(gnu|musl)(?:eabihf)?$/.exec(name) ?? [];
  if (os === undefined || cpu === undefined) throw new Error(`the platform of ${name} cannot be read from its name`);
  return { cpu: [cpu], ...(libc && { libc: [libc === 'gnu' ? 'glibc' : 'musl'] }), os: [os] };
};
