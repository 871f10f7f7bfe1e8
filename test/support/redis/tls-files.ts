import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface TlsFiles {
  /** Flags of a Redis server that listens with TLS on this port. */
  flags(port: number): readonly string[];
  /** Of the authority that signed the certificate, as PEM. Nobody trusts it yet. */
  readonly authority: string;
  remove(): void;
}

/** A certificate of `name` alone, no address, and the authority that signed it. Needs `openssl`. */
export const makeTlsFiles = (name: string): TlsFiles => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kibble-tls-'));
  const file = (of: string): string => path.join(dir, of);
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Test');
  openssl('req', ...newKey, '-keyout', 'own.key', '-out', 'own.csr', '-subj', `/CN=${name}`);
  writeFileSync(file('names'), `subjectAltName=DNS:${name}\n`);
  openssl(
    ...['x509', '-req', '-in', 'own.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-extfile', 'names', '-out', 'own.pem', '-days', '2'],
  );
  return {
    authority: readFileSync(file('ca.pem'), 'utf8'),
    flags: (port) => [
      ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', file('own.pem'), '--tls-key-file', file('own.key'), '--tls-ca-cert-file', file('ca.pem')],
    ],
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
};
