/** The first of the languages wanted (`zh-CN` wants `zh`) that a page has; else its first one. */
export const languageOf = <Name extends string>(
  has: readonly [Name, ...Name[]],
  wanted: readonly (string | undefined)[],
): Name => {
  for (const lang of wanted) {
    const found = has.find((name) => name === lang?.split('-')[0]);
    if (found !== undefined) return found;
  }
  return has[0];
};
