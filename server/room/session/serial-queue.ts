/** Runs asynchronous acts one after the other, in the order of the calls; each call returns or throws what its act does. */
export const serialQueue = (): (<Done>(act: () => Promise<Done>) => Promise<Done>) => {
  /** Made by the first call: most sessions of an idle server ask for nothing. */
  let last: Promise<unknown> | undefined;
  return (act) => {
    const done = (last ?? Promise.resolve()).then(act);
    last = done.catch(() => undefined);
    return done;
  };
};
