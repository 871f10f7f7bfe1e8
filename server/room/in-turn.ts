/** Does one thing after the other, in the order in which they were asked for; throws what each throws. */
export const inTurn = (): (<Done>(act: () => Promise<Done>) => Promise<Done>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const done = last.then(act);
    last = done.catch(() => undefined);
    return done;
  };
};
