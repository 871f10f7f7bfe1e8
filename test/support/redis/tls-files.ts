import { readFileSync } from 'node:fs';
import path from 'node:path';

const file = (name: string): string => path.join(import.meta.dirname, 'tls', name);

/** Of the authority that signed the certificate, as PEM. No client trusts it yet. Its own key is kept nowhere. */
export const authority = readFileSync(file('authority.pem'), 'utf8');

/** The certificate has this name, and no address. */
export const TLS_NAME = 'localhost';

/** Flags of a Redis server that listens with TLS on this port. */
export const tlsFlags = (port: number): readonly string[] => [
  ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
  ...[
    '--tls-cert-file',
    file('own.pem'),
    '--tls-key-file',
    file('own.key'),
    '--tls-ca-cert-file',
    file('authority.pem'),
  ],
];
