import { Hits } from '../parts/hits.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { place } from '../session/route.ts';
import { useAnswer } from '../session/use-session.ts';
import { words } from '../words/words.ts';

export const SearchPage = () => {
  const { q = '' } = place.value.query;
  const found = useAnswer('search', {}, { q: q || ' ', limit: '50' });
  return (
    <>
      <h1>{`${words().search.label}: ${q}`}</h1>
      <Shown of={found}>
        {({ hits, isCut }) =>
          hits.length === 0 ? (
            <Empty title={words().search.nothing({ q })} hint={words().search.nothingHint} />
          ) : (
            <ul class="panel hit-list">
              <Hits hits={hits} />
              {isCut ? <li class="hits-none">{words().search.more}</li> : undefined}
            </ul>
          )
        }
      </Shown>
    </>
  );
};
