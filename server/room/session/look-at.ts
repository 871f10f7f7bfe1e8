import type { HomeView } from '../../home/model/commit.ts';
import type { Homes } from '../../home/model/homes.ts';

/** Throws a fault when the home cannot be loaded. */
export const lookAt = async (homes: Pick<Homes, 'look'>, playerId: string): Promise<HomeView> => {
  const [view] = await homes.look([playerId]);
  if (!view) throw new Error('a look at one home must return one');
  return view;
};
