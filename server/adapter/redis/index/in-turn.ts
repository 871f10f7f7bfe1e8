/** The most commands at once: more would block the process for milliseconds. */
const AT_ONCE = 128;

/** Calls for each item, some at once. Returns the replies in the order of the items. */
export const inTurn = async <Item, Reply>(
  items: readonly Item[],
  call: (item: Item) => Promise<Reply>,
): Promise<Reply[]> => {
  const replies: Reply[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    replies.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(call))));
  }
  return replies;
};
