/** Does one thing after the other, in the order in which they were asked for; throws what each throws. */
export const inTurn = (): (<Done>(act: () => Promise<Done>) => Promise<Done>) => {
  /** Made by the first: most sessions of an idle server never ask for anything. */
  let last: Promise<unknown> | undefined;
  return (act) => {
    const done = (last ?? Promise.resolve()).then(act);
    last = done.catch(() => undefined);
    return done;
  };
};
