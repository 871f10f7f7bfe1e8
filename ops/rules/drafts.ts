/** Texts that were typed here and not applied: they outlive a look at another page, and a refused token. */
const drafts = new Map<string, string>();

// The browser asks before they are lost.
addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

/** An operator's text over one version of a module's rules. */
export const draftOf = (operator: string | undefined, module: string, version: number) => {
  const key = JSON.stringify([operator, module, version]);
  return {
    read: (): string | undefined => drafts.get(key),
    write: (text: string): void => {
      drafts.set(key, text);
    },
    drop: (): void => {
      drafts.delete(key);
    },
  };
};
