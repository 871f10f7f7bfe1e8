import { useState } from 'preact/hooks';
import { Icon } from '../../client/look/icons.tsx';
import { type AskFault, faultOf } from '../session/ask.ts';
import { useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { LanguageChoice } from './language-choice.tsx';
import { FaultNote } from './states.tsx';

export const SignIn = () => {
  const session = useSession();
  const [token, setToken] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<AskFault>();
  const isWrong = fault?.status === 401;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await session.signIn(token.trim());
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="sign-in-card" onSubmit={submit}>
        <div class="sign-in-head">
          <span class="brand-mark">
            <Icon name="bowl" size={28} />
          </span>
          <LanguageChoice />
        </div>
        <h1>{words().title}</h1>
        {session.isExpired.value ? <p class="note">{words().signIn.expired}</p> : undefined}
        <p class="soft" id="token-hint">
          {words().signIn.hint}
        </p>
        <label class="field">
          <span>{words().signIn.token}</span>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            aria-describedby="token-hint"
            aria-invalid={isWrong}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        {isWrong ? (
          <p class="note note-fault" role="alert">
            <Icon name="warning" />
            {words().signIn.wrong}
          </p>
        ) : undefined}
        {fault && !isWrong ? <FaultNote fault={fault} /> : undefined}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {words().signIn.submit}
        </button>
      </form>
    </main>
  );
};
