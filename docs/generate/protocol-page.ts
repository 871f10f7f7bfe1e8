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

/** docs/protocol.md: everything that a client in any language must know, from the schemas that check it. */
export const protocolPage = (): string => `<!-- Made by \`npm run docs\` from shared/protocol.ts and docs/generate. -->
# Protocol

These are the messages between a client and the room \`home\`, or your own room with the plugin. [protocol.schema.json](protocol.schema.json)
has the pets' messages as JSON Schema. Other modules add commands, events, codes and fields of replies. Instants are epoch milliseconds, durations milliseconds, both whole numbers.

## Joining

A client with a token joins by \`client.joinOrCreate('home', { afterSeq?, epoch?, things? })\`. The token names the player; the server ignores all other options.
With \`afterSeq\` the client first gets the events after it, at most 200 and 64 kB. If a message has \`truncated: true\`, more events are left: read them with [home:sync](#homesync).
With \`things: true\` the client gets the things of all modules before these events: [home:things](#homethings). \`epoch\` names the life of
the log: it is in the room's state, and in the \`snapshot\` of \`home:things\`.

${fields(definition('join-options'))}

${table(
  ['a join fails with', 'meaning'],
  joinErrors.map(([message, meaning]) => [`\`${message}\``, meaning]),
)}

## State

A client reads a home in one of two ways. [home:things](#homethings) has the things of every module, in any room, and needs
no schema. The room \`home\` also has the pets and the items in its state.

The room's state is a Colyseus schema, for every engine's SDK: \`shared/home-state.ts\`, in C# under [sdk](sdk/README.md).
A client that uses the state shows what the state has, and uses events for feedback and history. A patch comes before the reply or push of the same commit.

## Commands

\`room.request(type, payload)\` resolves to a [reply](#reply), or rejects with \`error.name === 'rejected'\` and a [rejection](#rejections) as \`error.reason\`. Each payload also has a \`commandId\`: ${fieldType(definition('home:feed').properties?.commandId ?? {})}, a new one for each action of the player. **After an error without a reason (other than \`no_handler\`) the outcome is unknown: send the
same \`commandId\` again**, until a reply or a rejection with \`retryable: false\` comes. The command takes effect once, and each repetition gets the first reply. After a retryable rejection an earlier attempt may still have taken effect.

An SDK without \`request\` sends the same as a plain message, and receives \`home:reply\` or \`home:rejected\` with the \`commandId\`.

An unknown command is refused: a \`request\` by the SDK's error \`no_handler\`, a plain message by \`command/invalid\` (in a room of your own by close code 4002).
A frame has at most 4,096 bytes (in a game's own server its \`maxPayload\`). A larger frame closes the connection with
1009. After such a close \`followHome\` sends the waiting commands one at a time, and refuses a command that closes the connection again:
with \`command/too-large\` after 1009, with \`command/invalid\` after 4002. In the room \`home\` an unreadable message, or
one with lists and objects more than 15 deep, is \`command/invalid\`. A game's own room rejects a command above 100 levels (\`command/invalid\`). An unreadable message, or one above 255 levels, closes the
connection with 4002.

${playerCommandTypes.map(command).join('\n\n')}

### Modules

The commands of a module are \`<module>:<command>\`, with the fields that the module declares and a \`commandId\`: \`village:upgrade { site, commandId }\`.
Commands of the pets begin with \`home:\`. The [reply](#reply) has the events, and fields that the module adds. A module's rules have rejections of their own, such as \`village/busy\`; the engine adds \`module/too-many { module, max }\` and \`thing/too-long { module, thing, dueAt, latestAt }\`.
Events are named \`<module>/<event>\` and have \`thing\`, the id of their thing; events of the pets and the engine have no prefix.
[home:quote](#homequote) accepts the commands of all modules.

## Questions

Questions give no command. A \`home:sync\` with \`snapshot\`, and a quote of a home with very much to complete, first complete what is due. Only a plain message needs a \`commandId\`: it identifies the reply.

### home:quote

Asks what a command would do now: the [quote-reply](#quote-reply) has its events, without \`seq\`.

${fields(definition('home:quote'))}

### home:sync

Asks for the events after \`afterSeq\`, in order; the reply is a [sync-reply](#sync-reply). Events older than the retention are deleted: then the \`seq\` of the first event is greater than \`afterSeq + 1\`.
With \`snapshot: true\` the client first gets all things by [home:things](#homethings), then the changed things of each commit. Use \`snapshot\` if the room does not pass on the join's options.

${fields(definition('home:sync'))}

### home:time

Asks for the server's time, to measure the clock's offset. The reply is \`{ nowMs }\`.

## Replies

### reply

\`dueAt\` is the pet's new due time; 0: the pet no longer eats; missing: unchanged. Commands of other modules add
fields of their own. The reply to a repeated command lacks these fields if its module can no longer make them.

${fields(definition('reply'))}

### quote-reply

It has the fields of a reply, \`doneAt\` if the end of the ordered work is known ([works](works.md#commands)), and \`chance: true\` if the command draws: then its events are only an example.

${fields(definition('quote-reply'))}

### sync-reply

A reply has at most 500 events and 256 kB, but one event at least. \`truncated\`: more events are left; ask again after the \`seq\` of the last one.

${fields(definition('sync-reply'))}

## Pushes

### home:events

The player's events: from commands of any device, and from things that come due. A connection gets events in \`seq\` order, each once, in replies and pushes together. A push that follows a reply may reach your code before the promise of \`request\` resolves: apply events in the order of \`seq\`. The reply to a repeated command, and a \`home:sync\` from an earlier \`afterSeq\`, bring older events.

${fields(definition('home:events'))}

### home:things

Comes after \`things: true\` at the join, or \`snapshot: true\` with [home:sync](#homesync). The first push has all things and \`snapshot: { playerId, epoch }\`. A push with the
things that a later commit changed, and the removed ones in \`gone: [{ module, id }]\`, comes before that commit's
reply or push.

- \`module\` and \`id\` name a thing. \`state\` is the module's own data, in the shape of \`version\`. \`dueAt\` is its next due time; 0: it rests or waits. Pets are things of the module \`pets\`.
- \`items\` is the whole stock.
- \`more\`: another part of the same home follows, because one message has at most about 64 kB of things. Show the things when the last part has arrived.
- Drop a message whose \`seq\` is not above the shown one. A snapshot replaces all things, also at the same \`seq\`; a connection's first one always counts.
- \`fault: { module, thing }\`: a rule of this module failed on this thing. The home stands still, and new commands are refused with \`module/fault\`. The next message without the field ends this state.
- Skip things of a module that the client does not know, or of a \`version\` that it cannot read; show the rest.

${fields(definition('home:things'))}

### thing

${fields(definition('thing'))}

### home:token

A guest gets a renewed token at each join: store the new token yourself, because the SDK's own storage keeps only the token of the sign-in. The new token ends after 180 days.

${fields(definition('home:token'))}

### home:rules

A module has new rules. They decide commands from now on; running work ends as it was ordered. The message has no rules: fetch them, from the reference server at \`GET /rules.json\` and \`GET /works.json\`. Fetch them at each join too: earlier changes are not pushed.

${fields(definition('home:rules'))}

### home:drain

This process is about to stop: send no new commands, and read the replies that still come. When the connection closes (code 4001), join again with \`afterSeq\`. The message has no fields. Only the room \`home\` sends it; a game's own room closes at once.

### home:reply, home:rejected

Replies to plain messages, with their \`commandId\`. \`home:rejected\` without \`commandId\` has three causes: bad options of the join (\`sync/ahead\`, \`command/invalid\`), a message whose \`commandId\` is missing or cannot be read, or the erasure of the player (\`sync/ahead\` without \`epoch\`).

## Events

### event

Each event has \`v\` (1 for pets and the engine, else the module's version), \`seq\` (1, 2, 3 ... for each player, without a gap), \`at\` (the logical time; never decreases along \`seq\`) and \`type\`. The first
event of a command has its \`commandId\`. \`items\` is the amount given (+) or taken (-); with Kibble's own inventory the stock is the sum of all \`items\`. Skip unknown types.

### quoted-event

An event without \`seq\`.

${events()}

## Rejections

\`{ code, params, retryable }\`: codes, not sentences. A rejected command changes nothing; the home is settled all the same. The rejection is not stored: the same command sent again is decided anew.

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
