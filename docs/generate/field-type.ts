import type { JsonSchema } from './schemas.ts';

/** A schema in a few words for a table. */
export const fieldType = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return `[${nameIn(schema.$ref)}](#${nameIn(schema.$ref)})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (schema.oneOf) return 'one of several';
  switch (schema.type) {
    case 'string':
      return `text${lengthOf(schema)}`;
    case 'integer':
      return `whole number${rangeOf(schema)}`;
    case 'array':
      return `list of ${fieldType(schema.items ?? {})}`;
    case 'object':
      return `object: name -> ${fieldType(entryOf(schema))}`;
    default:
      return schema.type ?? 'anything';
  }
};

const entryOf = ({ additionalProperties }: JsonSchema): JsonSchema =>
  typeof additionalProperties === 'object' ? additionalProperties : {};

const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

const lengthOf = ({ minLength, maxLength }: JsonSchema): string =>
  maxLength === undefined ? '' : `, ${minLength ?? 0} to ${maxLength} characters`;

const rangeOf = ({ minimum, maximum }: JsonSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  return minimum === undefined ? '' : `, ${minimum} or more`;
};
