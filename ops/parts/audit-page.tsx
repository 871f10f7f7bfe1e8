import { hrefOf, place } from '../route.ts';
import { words } from '../words/words.ts';
import { AuditList } from './audit-list.tsx';

export const AuditPage = () => {
  const { target } = place.value.query;
  return (
    <>
      <h1 class="hidden-text">{words().audit.title}</h1>
      {target === undefined ? undefined : (
        <p>
          {words().audit.of({ target })} <a href={hrefOf(['audit'])}>{words().audit.all}</a>
        </p>
      )}
      <AuditList target={target} />
    </>
  );
};
