/** Why the report `page` (`docs/record/proof.md`) does not speak for the sources of `tree`; undefined: it does. */
export const proofFault = (page: string, tree: string | undefined): string | undefined => {
  if (tree === undefined) return 'server, shared or client are changed beside the commit: commit them first.';
  const [, proven] = /\btree ([0-9a-f]{10})\b/.exec(page) ?? [];
  if (proven !== tree) {
    return `docs/record/proof.md is of ${proven === undefined ? 'no tree' : `tree ${proven}`}, the sources are ${tree}: run npm run proof.`;
  }
  // The list alone: before it the page may name tests that FAILED first, and held when they ran again.
  const notShown = page.split(/^Not shown:\s+/m)[1]?.split(/\n\s*\n/)[0] ?? '';
  return notShown.includes('FAILED') ? `docs/record/proof.md says that tests failed:\n${notShown}` : undefined;
};
