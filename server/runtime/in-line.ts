/** Runs `work` after all earlier work of the same key. */
export type InLine = <T>(key: object, work: () => Promise<T>) => Promise<T>;

/** Work of a key runs in the order of the calls. `failsWith`: if one fails, those that wait fail with it. */
export const lineOf = ({ failsWith = false } = {}): InLine => {
  const last = new WeakMap<object, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key);
    const done = (before === undefined ? work() : before.then(work, failsWith ? undefined : work)).finally(() => {
      if (last.get(key) === done) last.delete(key);
    });
    last.set(key, done);
    return done;
  };
};
