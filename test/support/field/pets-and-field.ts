import { Modules } from '../../../server/domain/modules.ts';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import { petsOfRules } from '../../../shared/pets/pets.ts';
import { type FieldRules, fieldOf } from './field.ts';

/** Two modules in one home: pets, and a field that gives them food. */
export const petsAndField = (catalogue: Catalogue, field: FieldRules): Modules =>
  new Modules([petsOfRules(catalogue), fieldOf(field)]);
