import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { visible, visibleLines } from '../../shared/text.ts';
import type { Config } from '../settings/config.ts';

interface Options {
  readonly level: Config['logLevel'];
  /** Short lines for a person at a terminal, instead of JSON. Default: whether stdout is a terminal. */
  readonly isForReader?: boolean;
  /** Default: stdout. */
  readonly destination?: DestinationStream;
}

/** The log of the process, one line per event. Secrets are removed by name, and inside text by their form. */
export const createLog = (options: Options): Logger => {
  const { level, destination = process.stdout, isForReader = process.stdout.isTTY === true } = options;
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor },
    },
    { write: (line) => destination.write(isForReader ? forReader(withoutSecrets(line)) : withoutSecrets(line)) },
  );
};

/** A full disk, or a closed terminal or pipe: the process goes on without that line. */
export const surviveLostOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
};

const censor = '[secret]';

const secretNames = [
  'authorization',
  'cookie',
  'databaseUrl',
  'jwtSecret',
  'opsTokens',
  'password',
  'redisUrls',
  'secret',
  'token',
];

/** Passwords in URLs, bearer tokens, and JSON web tokens, wherever they occur: in messages and errors too. */
const withoutSecrets = (line: string): string =>
  line
    .replace(/(\w+:\/\/[^\s:@/"]*):[^\s"]*@/g, `$1:${censor}@`)
    .replace(/\b(bearer\s+)[\w.~+/=-]+/gi, `$1${censor}`)
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, censor);

/** `08:30:01 warn  redis is away  {"sinceMs":1200}`; an error's stack follows on its own lines. */
const forReader = (line: string): string => {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.keys(fields).length > 0 ? `  ${JSON.stringify(fields)}` : '';
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${err.stack}` : '';
  const said = visible(`${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${msg ?? ''}${rest}`);
  return `${said}${visibleLines(stack)}\n`;
};
