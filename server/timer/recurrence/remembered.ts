/** `make`, remembered for the last `most` keys that were asked for first. */
export const remembered = <Key, Value>(most: number, make: (key: Key) => Value): ((key: Key) => Value) => {
  const kept = new Map<Key, Value>();
  return (key) => {
    const present = kept.get(key);
    if (present !== undefined || kept.has(key)) return present as Value;
    const made = make(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= most) kept.delete(oldest);
    kept.set(key, made);
    return made;
  };
};
