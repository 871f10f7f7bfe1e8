import { z } from 'zod';
import { rulesFile } from '../../shared/pets/rules-file.ts';
import { worksRules } from '../../shared/works/rules-file.ts';

const schemaOf = (title: string, rules: z.ZodType) => ({
  title,
  ...z.toJSONSchema(rules, { io: 'input', unrepresentable: 'any' }),
});

/** JSON Schemas of the files of rules, for editors. Published with the package, as `./schemas/...`. */
export const rulesSchemas: Readonly<Record<string, object>> = {
  'schemas/game.schema.json': schemaOf(
    'Rules of the reference game (RULES_FILE)',
    rulesFile.extend({ works: worksRules.optional() }),
  ),
  'schemas/pets.schema.json': schemaOf('Rules of the pets', rulesFile),
  'schemas/works.schema.json': schemaOf('Rules of a module `works`', worksRules),
};
