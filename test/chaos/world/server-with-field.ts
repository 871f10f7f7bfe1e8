// The reference server of a game that has a field beside the pets.
import { serve } from '../../../server/reference/serve.ts';
import { fieldOf } from '../../support/field/field.ts';
import { rules } from '../play/rules.ts';

await serve([fieldOf(rules.field)]);
