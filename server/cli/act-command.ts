import { type Command, Option } from 'commander';
import { isPlayerId, TIMER_ID } from '../../shared/ids.ts';
import { type OpsAct, writeInput } from '../../shared/ops/act.ts';
import { type OpsInput, type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { ModuleWords } from '../../shared/ops/fill-words.ts';
import type { Input } from '../../shared/ops/input.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { type Context, durationOf, parseItems, readJsonFile, wholeNumber } from './console/context.ts';
import type { OpsClient } from './console/ops-client.ts';
import { usageFault } from './console/terminal.ts';

/** The parts of the path and the inputs of an act, by name. */
export type Values = Readonly<Record<string, unknown>>;

interface Answered<Name extends OpsRouteName, Facts> {
  readonly answer: OpsAnswers[Name];
  readonly client: OpsClient;
  readonly facts: Facts | undefined;
  readonly options: Values;
}

interface Told<Name extends OpsRouteName, Facts, Shown> {
  /** Given if the command does less, or shows more, than the act. */
  readonly about?: string;
  /** Reads other facts for the confirmation question, before it is asked. */
  readonly facts?: (client: OpsClient, values: Values) => Promise<Facts>;
  /** Reads missing inputs from the server. The question names them, and what it named is sent. */
  readonly completes?: Readonly<Record<string, (client: OpsClient, values: Values) => Promise<unknown>>>;
  /** Makes the printed value: JSON or lines. Default: the answer. */
  readonly shows?: (answered: Answered<Name, Facts>) => Shown | Promise<Shown>;
  readonly lines: (shown: Shown, more: More) => readonly string[] | Promise<readonly string[]>;
}

interface More {
  /** The words of the server's modules. */
  readonly words: () => Promise<ModuleWords>;
  readonly options: Values;
}

/** Makes the command of an act from the table of acts; `told` adds what is printed. */
export const addAct = <Name extends OpsRouteName, Facts extends Values = Values, Shown = OpsAnswers[Name]>(
  group: Command,
  context: Context,
  name: Name,
  told: Told<Name, Facts, Shown>,
): Command => {
  const act: OpsAct = opsActs[name];
  // The first word of `players grant <playerId>` is the group.
  const command = group.command((act.cli ?? '').replace(/^\w+ (?=\w)/, '')).description(told.about ?? act.about);
  for (const [field, input] of Object.entries(act.input)) {
    if (input.flag !== undefined) command.addOption(optionOf(input, field in (told.completes ?? {})));
  }
  command.action(async () => {
    const values = valuesOf(act, command);
    const client = context.client(command);
    const facts = await told.facts?.(client, values);
    const completes = async (): Promise<Values> => {
      const missing = Object.entries(told.completes ?? {}).filter(([field]) => values[field] === undefined);
      return Object.fromEntries(
        await Promise.all(missing.map(async ([field, find]) => [field, await find(client, values)])),
      );
    };
    const answer = await askServer(context, command, { name, values, facts, completes });
    const options = command.opts();
    const shown = told.shows ? await told.shows({ answer, client, facts, options }) : (answer as Shown);
    await context.show(command, shown, () => told.lines(shown, { options, words: () => context.words(command) }));
  });
  return command;
};

interface Asked<Name extends OpsRouteName> {
  readonly name: Name;
  readonly values: Values;
  readonly facts?: Values | undefined;
  readonly completes?: () => Promise<Values>;
}

/** Does an act; a write needs a confirmation first. Throws a `CommandFault`. */
export const askServer = async <Name extends OpsRouteName>(
  context: Context,
  command: Command,
  { name, values, facts, completes }: Asked<Name>,
): Promise<OpsAnswers[Name]> => {
  const act: OpsAct = opsActs[name];
  const parts = Object.fromEntries(partsOf(act).map((part) => [part, partOf(part, values[part])]));
  const found = await completes?.();
  const write = act.method === 'GET' ? {} : await agreed(context, command, act, { ...values, ...facts, ...found });
  const given = Object.entries(values).filter(([field, value]) => field in act.input && value !== undefined);
  const input = { ...write, ...Object.fromEntries(given), ...found };
  // The command's options and arguments are the act's inputs, each parsed by its schema.
  return context.client(command).ask(name, parts, input as unknown as OpsInput<Name>);
};

const agreed = (context: Context, command: Command, { asks = '', risk }: OpsAct, values: Values) => {
  const question = asks.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = values[field];
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
  return context.write(command, question, risk === 'confirmed');
};

const partsOf = ({ path }: OpsAct): readonly string[] => [...path.matchAll(/:(\w+)/g)].map(([, part = '']) => part);

const partOf = (part: string, value: unknown): string => {
  const text = String(value);
  if (part === 'playerId' && !isPlayerId(text)) throw usageFault(`${text} is no player id`);
  if (part === 'timerId' && !TIMER_ID.test(text)) throw usageFault(`${text} is no timer id`);
  return text;
};

const readers: Partial<Record<Input['type'], (text: string) => unknown>> = {
  whole: wholeNumber,
  shift: durationOf,
  items: parseItems,
  json: readJsonFile,
};

const optionOf = (input: Input, isKnown: boolean): Option => {
  const option = new Option(input.flag ?? '', input.about);
  const { of } = input as { readonly of?: readonly string[] };
  const read = of ? oneOf(option.long ?? '', of) : readers[input.type];
  if (read) option.argParser(read);
  if (input.preset !== undefined) option.default(input.preset);
  return option.makeOptionMandatory(!input.isOptional && !isKnown);
};

const oneOf =
  (flag: string, known: readonly string[]) =>
  (text: string): string => {
    if (!known.includes(text)) throw usageFault(`${flag} is one of ${known.join(', ')}`);
    return text;
  };

/** The arguments are the parts of the path, then the inputs without a flag. */
const valuesOf = (act: OpsAct, command: Command): Values => {
  const inputs = Object.entries(act.input);
  const plain = inputs.filter(([field, { flag }]) => flag === undefined && !Object.hasOwn(writeInput, field));
  const names = [...partsOf(act), ...plain.map(([field]) => field)];
  const options = command.opts();
  return Object.fromEntries([
    ...command.args.map((text, at) => {
      const field = names[at] ?? '';
      const read = readers[act.input[field]?.type ?? 'text'];
      return [field, read ? read(text) : text];
    }),
    ...inputs.flatMap(([field, { flag }]) =>
      flag === undefined ? [] : [[field, options[new Option(flag).attributeName()]]],
    ),
  ]);
};
