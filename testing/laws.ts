// The entry `colyseus-kibble/testing/laws`: tries a game's own rules and modules. Needs fast-check.

export type { AnyModule } from '../shared/module/module.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export {
  type CommandSketch,
  catalogueArbitrary,
  commandArbitrary,
  commandOf,
  type History,
  historyArbitrary,
  historyArbitraryOf,
  type Step,
} from './arbitraries.ts';
export { checkModule, type ModuleTrial } from './check-module.ts';
export { checkRules, type TrialOptions, type Violation } from './check-rules.ts';
export type { Decision, Judgement } from './pets-engine.ts';
export { type Played, type PlayOptions, play, type Turn } from './play.ts';
