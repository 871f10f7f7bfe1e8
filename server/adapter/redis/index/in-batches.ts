/** The most commands at once: more would block the process for milliseconds. */
const AT_ONCE = 128;

/** Calls for each item, some at once. Returns the replies in the order of the items. */
export const inBatches = async <Item, Reply>(
  items: readonly Item[],
  call: (item: Item) => Promise<Reply>,
): Promise<Reply[]> => {
  const replies: Reply[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    replies.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(call))));
  }
  return replies;
};

/** As `inBatches`, for calls that take entries: a failed call does not lose what the others took. Throws if none took any. */
export const receivedInBatches = async <Item, Taken>(
  items: readonly Item[],
  call: (item: Item) => Promise<readonly Taken[]>,
): Promise<Taken[]> => {
  const replies = await inBatches(items, async (item) => (await Promise.allSettled([call(item)]))[0]);
  const taken = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []));
  const failed = replies.find((reply) => reply.status === 'rejected');
  if (taken.length === 0 && failed) throw failed.reason;
  return taken;
};
