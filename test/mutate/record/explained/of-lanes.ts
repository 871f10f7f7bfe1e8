import { because, type Explained } from './explained-mutant.ts';

const INTAKE = 'server/timer/fire/lane/intake.ts';
const LANE = 'server/timer/fire/lane/lane.ts';
const PACE = 'server/timer/fire/lane/pace.ts';
const CALLS = 'server/timer/fire/handle/calls.ts';
const DERIVED = 'server/timer/fire/handle/derived-runner.ts';
const FIRE = 'server/timer/fire/handle/fire-runner.ts';
const HANDLING = 'server/timer/fire/handle/handling.ts';
const TX = 'server/timer/fire/handle/make-handler-tx.ts';
const RUNNING = 'server/timer/fire/handle/running-call.ts';
const OWN = 'server/timer/fire/handle/own-turns.ts';

export const ofLanes: readonly Explained[] = [
  { file: INTAKE, was: '[]', why: 'it is only waited for, and a text is there at once' },
  { file: INTAKE, was: "typeof lane === 'object'", why: 'a lane is an object as well; the word is for the compiler' },
  ...because(INTAKE, 'only speed: where none are new, none are judged', [
    '!kind || fresh.length === 0',
    'fresh.length === 0',
  ]),
  { file: INTAKE, was: 'present', is: 'true', why: 'what is not at work here hears of nothing' },
  { file: LANE, was: 'left.length > 0', why: 'none are added' },
  { file: LANE, was: 'waiting.length > 0', why: 'none are given back' },
  ...because(LANE, 'only a look too many, which finds nothing waiting', [
    'this.#cancelLook',
    'this.#waiting.length > 0',
  ]),
  ...because(LANE, 'only speed: those that wait are copied one by one', [
    ['chosen.every((one, at) => one === waiting[at])', 'false'],
    '(one, at) => one === waiting[at]',
    ['one === waiting[at]', 'false'],
  ]),
  ...because(LANE, 'who has room again has said so before its work ends, and a lane that stops has nothing waiting', [
    '!this.#isStopping',
    'this.#pump();',
  ]),
  { file: PACE, was: '[]', why: 'a text has no time, so it is never counted' },
  { file: CALLS, was: 'this.#running.size === 0', why: 'only speed: where no call runs, none is ended' },
  { file: CALLS, was: '[]', why: 'it is only waited for, and a text is there at once' },
  { file: DERIVED, was: '[]', why: 'only owners that were asked for are answered' },
  { file: DERIVED, was: 'away[0]?.error', why: 'never so: it is there for the compiler' },
  { file: FIRE, was: 'timers.length === 0', why: 'an empty batch fires nothing, in a transaction more' },
  { file: FIRE, was: 'first !== undefined', why: 'never so: it is there for the compiler' },
  { file: HANDLING, was: '[]', why: 'a text never comes again; it is replaced before a handler is called' },
  { file: TX, was: 'foreign.length === 0', why: 'the others are asked for none, and answer none' },
  { file: TX, was: '[]', why: 'nothing is read of it, or never so: it is there for the compiler' },
  { file: TX, was: 'value === undefined', why: 'never so: it is there for the compiler' },
  { file: RUNNING, was: "'failed'", why: 'what neither returned nor is unknown has failed' },
  { file: OWN, was: 'id === undefined', why: 'nothing has the id `undefined`' },
  { file: OWN, was: '{ timerId: timer.id }', why: 'the timer is given beside it; its target is not read' },
];
