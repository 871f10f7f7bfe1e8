/** Why the report `page` (`docs/record/proof.md`) does not cover the sources of `tree`; undefined: it does. */
export const proofFault = (page: string, tree: string | undefined): string | undefined => {
  if (tree === undefined) return 'server, shared or client are changed beside the commit: commit them first.';
  const [, proven] = /\btree ([0-9a-f]{10})\b/.exec(page) ?? [];
  if (proven === tree) return undefined;
  return `docs/record/proof.md is of ${proven === undefined ? 'no tree' : `tree ${proven}`}, the sources are ${tree}: run npm run proof.`;
};
