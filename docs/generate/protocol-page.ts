import {
  type PlayerCommandType,
  playerCommandTypes,
  type RejectionCode,
  rejectionCodes,
} from '../../shared/pets/protocol.ts';
import { reject } from '../../shared/protocol.ts';
import { fieldType } from './field-type.ts';
import { closeCodes, commandWords, eventWords, joinErrors, rejectionWords, routes } from './protocol-words.ts';
import { definitions, type JsonSchema } from './schemas.ts';

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const fields = (schema: JsonSchema, without: readonly string[] = []): string => {
  const rows = Object.entries(schema.properties ?? {})
    .filter(([name]) => !without.includes(name))
    .map(([name, field]) => [`\`${name}\``, fieldType(field), schema.required?.includes(name) ? 'yes' : '']);
  return table(['field', '', 'required'], rows);
};

const definition = (name: string): JsonSchema => {
  const found = definitions[name];
  if (!found) throw new Error(`no schema has the name ${name}`);
  return found;
};

const command = (type: PlayerCommandType): string =>
  `### ${type}\n\n${commandWords[type]}\n\n${fields(definition(type), ['commandId'])}`;

const events = (): string => {
  const place = ['v', 'seq', 'at', 'commandId', 'type'];
  const schemas = new Map((definition('event').oneOf ?? []).map((schema) => [schema.properties?.type?.const, schema]));
  const all = Object.entries(eventWords).map(([type, words]) => {
    const schema = schemas.get(type);
    if (!schema) throw new Error(`the schema has no event ${type}`);
    return `### ${type}\n\n${words}\n\n${fields(schema, place)}`;
  });
  return all.join('\n\n');
};

const rejections = (): string =>
  table(
    ['code', 'params', 'meaning', 'retryable'],
    rejectionCodes.map((code: RejectionCode) => [
      `\`${code}\``,
      rejectionWords[code].params,
      rejectionWords[code].meaning,
      reject(code).retryable ? 'yes' : '',
    ]),
  );

/** docs/protocol.md: everything that a client of any language has to know, from the schemas that check it. */
export const protocolPage = (): string => `<!-- Made by \`npm run docs\` from shared/protocol.ts and docs/generate. -->
# Protocol

What goes between a client and the room \`home\` (or a room of your own with the plugin, which has the same messages). The same as
JSON Schema: [protocol.schema.json](protocol.schema.json). Instants are epoch milliseconds, durations milliseconds, both whole numbers.

## Joining

\`client.joinOrCreate('home', { afterSeq?, epoch?, things? })\` with a token; all other options are ignored, the token says whose home it is.
With \`afterSeq\` the events after it come first, at most 200 and 64 kB, then \`truncated: true\`: page with [home:sync](#homesync).
With \`things: true\` the things of all modules come before them: [home:things](#homethings).

${fields(definition('join-options'))}

${table(
  ['a join fails with', 'meaning'],
  joinErrors.map(([message, meaning]) => [`\`${message}\``, meaning]),
)}

## State

A client reads what there is in one of two ways. Things of every module come by [home:things](#homethings), in any room, and need
no schema. The room \`home\` shows the pets and the items in its state as well.

The room's state is a Colyseus schema, for every engine's SDK: \`shared/home-state.ts\`, in C# under [sdk](sdk/README.md).
Draw from the state; events are for feedback and history. A patch comes before the reply or push of the same commit.

## Commands

\`room.request(type, payload)\`, resolves to a [reply](#reply) or is rejected (\`error.name === 'rejected'\`, \`error.reason\` is a [rejection](#rejections)). Each payload has besides
its fields a \`commandId\`, ${fieldType(definition('home:feed').properties?.commandId ?? {})}, new for each thing that the player does. **A failure without a reason means that the outcome is unknown: send the
same \`commandId\` again**, as often as it takes; it is done once, and the reply is that of the first time.

A client whose SDK has no \`request\` sends the same as a message, and receives \`home:reply\` or \`home:rejected\` with the \`commandId\`.

A command that the room does not know is refused: a \`request\` by the SDK's error \`no_handler\`, a plain message by \`command/invalid\` (in a room of your own by close code 4002).

${playerCommandTypes.map(command).join('\n\n')}

### Modules

The commands of a module are \`<module>:<command>\`, with the fields that it declares and a \`commandId\`: \`village:upgrade { site, commandId }\`.
Those of the pets begin with \`home:\`. The [reply](#reply) has the events, and fields that the module adds; rejections of its rules are \`<module>/<code>\`.
Events are named \`<module>/<event>\` and carry \`thing\`, the id of what they are about; those of the pets and the engine have no prefix.
[home:quote](#homequote) takes the commands of all modules.

## Questions

They change nothing, and need no \`commandId\` (a plain message does, to tell the replies apart).

### home:quote

What a command would do now, exactly: the events it would cause, without \`seq\`. Answered with a [quote-reply](#quote-reply).

${fields(definition('home:quote'))}

### home:sync

Events after \`afterSeq\`, in order. Answered with a [sync-reply](#sync-reply). Of events that are older than the retention nothing is left: then the first one's \`seq\` is greater than \`afterSeq + 1\`.
With \`snapshot: true\` all things come first by [home:things](#homethings), and from then on those of each commit: so in a room of your own, whose joins have options of their own.

${fields(definition('home:sync'))}

### home:time

The server's time, to measure the clock's offset. Answered with \`{ nowMs }\`.

## Replies

### reply

\`dueAt\` is the pet's new due time, 0 when it has none.

${fields(definition('reply'))}

### quote-reply

${fields(definition('quote-reply'))}

### sync-reply

\`truncated\`: there are more; ask again after the last one's \`seq\`.

${fields(definition('sync-reply'))}

## Pushes

### home:events

What happened, on this device or another, or because it was time. On a connection events leave in \`seq\` order, each once, whatever carries them.

${fields(definition('home:events'))}

### home:things

To a client that asked for it, by \`things: true\` at the join or by \`snapshot: true\` with [home:sync](#homesync). First all things, with \`snapshot: { playerId, epoch }\`; then, before the reply or push of each commit, those that it touched, as they are after it, and in \`gone: [{ module, id }]\` those that are no more.

- \`module\` and \`id\` name a thing; \`state\` is what its module keeps, in the shape of \`version\`; \`dueAt\` is when it is due next, 0: it rests or waits. Pets are things of the module \`pets\`.
- \`items\` is the whole stock.
- \`more\`: another message of the same follows, since one carries about 64 kB of things. Show them when the last one is here.
- Drop what is not newer than the \`seq\` that is shown. A snapshot replaces all things, also of the same \`seq\`; the first one of a connection counts whatever was shown before.
- \`fault: { module, thing }\`: a rule of this module failed on this thing. The home stands still, and commands are refused with \`module/fault\`; without the field it goes on.
- A module that the client does not know, or a newer \`version\` than it was made for: leave out what it cannot read, the rest goes on.

${fields(definition('home:things'))}

### thing

${fields(definition('thing'))}

### home:token

A guest's renewed token, at each join: keep it instead of the old one.

${fields(definition('home:token'))}

### home:rules

The rules of a module are new: from this version on commands are decided by them, and what is under way ends as it was ordered. The message has no rules: fetch them, of the reference server at \`GET /rules.json\` and \`GET /works.json\`. What changed while the client was away is not sent: fetch them also at each join.

${fields(definition('home:rules'))}

### home:drain

This process is about to stop: send no new commands, take the replies that still come, and join again when it has let you go (code 4001), with \`afterSeq\`. It says nothing else.

### home:reply, home:rejected

Replies to plain messages, with their \`commandId\`. \`home:rejected\` without one: what was wrong with the options of the join (\`sync/ahead\`, \`command/invalid\`), or with a message whose \`commandId\` could not be read.

## Events

### event

Each has \`v\` (1), \`seq\` (1, 2, 3 ... for each player, without a gap), \`at\` (the logical time; never decreases along \`seq\`), \`type\`, and on the first
event of a command its \`commandId\`. \`items\` is what it gave (+) or took (-): their sum is the stock. Skip types that you do not know.

### quoted-event

The same without \`seq\`.

${events()}

## Rejections

\`{ code, params, retryable }\`: codes, not sentences. A rejected command changes nothing but what looking at the home settled. It is not remembered: sent again it is judged anew.

${rejections()}

## HTTP

${table(
  ['route', 'for', ''],
  routes.map(([route, who, what]) => [`\`${route}\``, who, what]),
)}

The operators' API lies under \`/ops/api\`, their page at \`/ops/\`.

## Close codes

${table(['code', 'meaning', 'then'], closeCodes)}
`;
