/** A text made from facts. */
export type Text<Facts> = (facts: Facts) => string;

/** Names the type of the facts once; later it is inferred. */
export const text = <Facts>(tell: Text<Facts>): Text<Facts> => tell;

export type Table = Readonly<Record<string, string>>;
