import { z } from 'zod';
import { frozenCopy } from '../../shared/frozen.ts';
import { jsonFlaw } from '../../shared/json-flaw.ts';
import { readBySchema } from '../../shared/module/read-by-schema.ts';
import { nearestOf, shown } from '../../shared/options/shown.ts';
import {
  type Command,
  commandId as commandIdShape,
  invalid,
  quoteMessage,
  type Rejection,
  reject,
  serverPayloads,
} from '../../shared/protocol.ts';
import { ok, type Result, refused } from '../../shared/result.ts';
import { faultRejection, ModuleFault } from './module-fault.ts';
import type { Modules } from './modules.ts';

/** A valid command with its sender's key. */
export interface ReadCommand {
  readonly commandId: string;
  readonly command: Command;
}

/** `fault`: the schema itself failed; for the log. */
export type ReadResult<Read = ReadCommand> = Result<Read, Rejection> & { readonly fault?: ModuleFault };

/** Reads a command's payload from the wire, or refuses it with `command/invalid` and the faults. */
export const readCommand = (modules: Modules, type: string, payload: unknown): ReadResult => {
  const schema = schemaOf(modules, type);
  if (!schema) return unknownCommand(type, modules);
  try {
    return readBy(schema, type, payload);
  } catch (thrown) {
    // The schema, too, is the game's code.
    const fault = new ModuleFault(
      { module: modules.commandModules.get(type) ?? type, rule: `commands.${type}` },
      thrown,
    );
    return { ...refused(faultRejection(fault)), fault };
  }
};

const readBy = (schema: z.core.$ZodType, type: string, payload: unknown): Result<ReadCommand, Rejection> => {
  const { commandId, ...fields } = isObject(payload) ? payload : {};
  const key = commandIdShape.safeParse(commandId);
  // First: a schema may accept values that an event cannot store, and fail in a value that is too deep.
  const flaw = jsonFlaw(fields);
  if (flaw) return refused(reject('command/invalid', { faults: [{ ...flaw, path: flaw.path.slice(0, 100) }] }));
  const read = readBySchema(schema, isObject(payload) ? fields : payload);
  if (!read.success) return refused(invalid(read.error));
  if (!key.success) return refused(invalid(withPath(key.error, 'commandId')));
  // A copy: the rules get it in each attempt, and it may have parts of the caller's object.
  return ok({ commandId: key.data, command: frozenCopy({ type, ...(read.data as object) }) });
};

/** Reads a quoted command: its `commandId` may be missing. */
export const readQuoted = (modules: Modules, message: unknown): ReadResult<Command> => {
  const quoted = quoteMessage.safeParse(message);
  if (!quoted.success) return refused(invalid(quoted.error));
  const { command: type, payload } = quoted.data;
  if (!modules.playerCommands.includes(type))
    return refused(reject('command/invalid', { faults: [{ path: 'command', message: 'is no command' }] }));
  const parsed = readCommand(modules, type, { commandId: ANY_KEY, ...payload });
  return parsed.ok ? ok(parsed.value.command) : parsed;
};

const ANY_KEY = 'quoted-00';

const schemaOf = (modules: Modules, type: string): z.core.$ZodType | undefined => {
  if (type === 'home:grant' || type === 'home:take') return serverPayloads[type];
  const found = modules.ofCommand(type);
  return found?.module.commands.get(found.own);
};

/** Only the game's own server code gets here: a room receives only messages with the name of a command. */
const unknownCommand = (type: string, { playerCommands }: Modules): Result<never, Rejection> => {
  const near = nearestOf(type.slice(0, LONGEST_TYPE), playerCommands);
  const message = `is no command: ${shown(type)}${near === undefined ? '' : `; did you mean ${near}?`}`;
  return refused(reject('command/invalid', { faults: [{ path: 'type', message }] }));
};

const LONGEST_TYPE = 64;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withPath = (error: z.ZodError, path: string): z.ZodError =>
  new z.ZodError(error.issues.map((issue) => ({ ...issue, path: [path, ...issue.path] })));
