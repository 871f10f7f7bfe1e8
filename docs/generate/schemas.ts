import { z } from 'zod';
import {
  eventsMessage,
  homeEvent,
  playerPayloads,
  quotedEvent,
  quoteMessage,
  quoteReply,
  rejection,
  reply,
  syncReply,
} from '../../shared/pets/protocol.ts';
import {
  commandId,
  drainMessage,
  joinOptions,
  rulesMessage,
  serverPayloads,
  syncMessage,
  thingsMessage,
  timeMessage,
  timeReply,
  tokenMessage,
  toldThing,
} from '../../shared/protocol.ts';

/** The part of JSON Schema that zod writes for our schemas. */
export interface JsonSchema {
  readonly type?: string;
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}

const withCommandId = (payload: z.ZodObject) => payload.extend({ commandId });
const named = (payloads: Readonly<Record<string, z.ZodObject>>) =>
  Object.entries(payloads).map(([type, payload]) => [type, withCommandId(payload)] as const);

const registry = z.registry<{ id: string }>();
for (const [id, schema] of [
  ...named(playerPayloads),
  ...named(serverPayloads),
  ['home:quote', quoteMessage],
  ['home:sync', syncMessage],
  ['home:time', timeMessage],
  ['home:events', eventsMessage],
  ['home:things', thingsMessage],
  ['thing', toldThing],
  ['home:token', tokenMessage],
  ['home:rules', rulesMessage],
  ['home:drain', drainMessage],
  ['reply', reply],
  ['quote-reply', quoteReply],
  ['sync-reply', syncReply],
  ['time-reply', timeReply],
  ['event', homeEvent],
  ['quoted-event', quotedEvent],
  ['rejection', rejection],
  ['join-options', joinOptions],
] as const) {
  registry.add(schema, { id });
}

const { schemas } = z.toJSONSchema(registry, {
  uri: (id) => `#/$defs/${id}`,
  io: 'input',
  unrepresentable: 'any',
  // An empty message is allowed too, which JSON cannot say: the other alternatives remain.
  override: ({ zodSchema, jsonSchema }) => {
    if (zodSchema instanceof z.ZodUndefined) jsonSchema.not = {};
    // The largest safe integer is the bound of every number in JavaScript.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  },
});

/** All messages of the wire, by name; they refer to each other. */
export const definitions: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema as JsonSchema]),
);

export const protocolSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'The messages of Kibble, by name; beside them the events and replies of the pets. Made by `npm run docs`.',
  $defs: definitions,
};
