/** What is said of some facts. */
export type Text<Facts> = (facts: Facts) => string;

/** Names the facts once; they are inferred from there on. */
export const text = <Facts>(tell: Text<Facts>): Text<Facts> => tell;

export type Table = Readonly<Record<string, string>>;
