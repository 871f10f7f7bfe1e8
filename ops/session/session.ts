import { computed, signal } from '@preact/signals';
import { mayUse } from '../../shared/ops/act.ts';
import type { OpsInput } from '../../shared/ops/acts.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../shared/ops/ops-answers.ts';
import { type Asked, AskFault, ask, type Parts } from './ask.ts';

const KEY = 'kibble.ops-token';

export type Session = ReturnType<typeof createSession>;

/** The operator's session, through which every request of the page goes. The token is deleted with the browser's tab. */
export const createSession = (storage: Storage) => {
  const state = stateOf(storage);
  const { token, me, modules, isExpired, isOffline, writes, heardAtMs } = state;
  return {
    me: computed(() => me.value),
    /** The modules of this server. */
    modules: computed(() => modules.value),
    hasToken: computed(() => token.value !== undefined),
    isExpired: computed(() => isExpired.value),
    isOffline: computed(() => isOffline.value),
    writes: computed(() => writes.value),

    /** The server’s time of the last response, to the second: a part that reads it is shown anew with the next one. */
    heardAtMs: (): number => heardAtMs.value,

    mayUse: (name: OpsRouteName): boolean => me.value !== undefined && mayUse(me.value.role, opsActs[name]),

    ...signingOf(state),
    ask: askOf(state),

    wrote: (): void => {
      writes.value += 1;
    },
  };
};

type State = ReturnType<typeof stateOf>;

const stateOf = (storage: Storage) => {
  const token = signal<string | undefined>(storage.getItem(KEY) ?? undefined);
  const me = signal<OpsAnswers['me'] | undefined>(undefined);
  const modules = signal<OpsAnswers['modules']['modules']>([]);
  /** Whether the token was refused, which ended the session. */
  const isExpired = signal(false);
  const heardAtMs = signal(0);
  return {
    token,
    me,
    modules,
    isExpired,
    heardAtMs,
    isOffline: signal(false),
    /** Grows with each write, after which shown answers are requested again. */
    writes: signal(0),

    remember: (given: string): void => {
      storage.setItem(KEY, given);
      token.value = given;
    },

    forget: ({ isRefused }: { readonly isRefused: boolean }): void => {
      isExpired.value = isRefused;
      storage.removeItem(KEY);
      token.value = undefined;
      me.value = undefined;
    },

    heard: <Answer>(asked: Asked<Answer>): Answer => {
      if (!Number.isNaN(asked.atMs)) heardAtMs.value = asked.atMs;
      return asked.answer;
    },
  };
};

const signingOf = ({ token, me, modules, isExpired, remember, forget, heard }: State) => ({
  /** Signs in. Throws an `AskFault` if that fails. */
  signIn: async (given: string): Promise<void> => {
    const found = heard(await ask(given, 'me'));
    modules.value = (await ask(given, 'modules')).answer.modules;
    me.value = found;
    remember(given);
    isExpired.value = false;
  },

  /** Uses the token from before a reload of the page. */
  resume: async (): Promise<void> => {
    if (token.value === undefined) return;
    try {
      modules.value = (await ask(token.value, 'modules')).answer.modules;
      me.value = heard(await ask(token.value, 'me'));
    } catch (error) {
      if (!(error instanceof AskFault) || error.status !== 401) throw error;
      forget({ isRefused: true });
    }
  },

  signOut: (): void => forget({ isRefused: false }),
});

const askOf =
  ({ token, isOffline, forget, heard }: State) =>
  async <Name extends OpsRouteName>(
    name: Name,
    parts?: Parts,
    input?: OpsInput<Name> | object,
  ): Promise<OpsAnswers[Name]> => {
    const given = token.value;
    try {
      const answer = heard(await ask(given ?? '', name, parts, input));
      isOffline.value = false;
      return answer;
    } catch (error) {
      const { status } = error as AskFault;
      isOffline.value = status === 0;
      // A late answer to an earlier token does not end the session of another one.
      if (status === 401 && given === token.value) forget({ isRefused: true });
      throw error;
    }
  };
