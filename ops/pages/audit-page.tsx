import { AuditList } from '../parts/audit-list.tsx';
import { hrefOf, place } from '../session/route.ts';
import { words } from '../words/words.ts';

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
