import { Icon } from '../../client/look/icons.tsx';
import { hrefOf, place } from '../session/route.ts';
import { useSession } from '../session/use-session.ts';
import { words } from '../words/words.ts';
import { LanguageChoice } from './language-choice.tsx';
import { SearchBox } from './search-box.tsx';

const pages = ['overview', 'timers', 'failed', 'jobs', 'rules', 'audit'] as const;

export const Header = () => {
  const session = useSession();
  const me = session.me.value;
  const here = place.value.parts[0] ?? 'overview';
  return (
    <header class="header">
      <button type="button" class="skip" onClick={skip}>
        {words().skip}
      </button>
      <div class="header-top">
        <a class="brand" href={hrefOf([])}>
          <span class="brand-mark">
            <Icon name="bowl" size={20} />
          </span>
          <span class="brand-name">
            {words().brand} <span class="soft">{words().forOperators}</span>
          </span>
        </a>
        <search class="search-place">
          <SearchBox />
        </search>
        <div class="me">
          <span class="me-name">
            {me?.name} <Mark role={me?.role ?? ''} />
          </span>
          <button type="button" class="button button-quiet sign-out" onClick={session.signOut}>
            <Icon name="leave" />
            <span>{words().signIn.out}</span>
          </button>
          <LanguageChoice />
        </div>
      </div>
      <nav class="nav" aria-label={words().navLabel}>
        {pages.map((page) => (
          <a
            key={page}
            href={hrefOf(page === 'overview' ? [] : [page])}
            aria-current={here === page ? 'page' : undefined}
          >
            {words().nav[page]}
          </a>
        ))}
      </nav>
      {session.isOffline.value ? (
        <p class="offline" role="status">
          <Icon name="offline" />
          {words().offline}
        </p>
      ) : undefined}
    </header>
  );
};

const Mark = ({ role }: { readonly role: string }) => (
  <span class="mark" title={words().signIn.role({ role })}>
    {role}
  </span>
);

/** Skips without a change of the address, which is the place of the page. */
const skip = (): void => document.getElementById('content')?.focus();
