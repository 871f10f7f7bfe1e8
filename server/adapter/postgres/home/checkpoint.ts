import { type Home, newHome, type Thing } from '../../../../shared/home.ts';
import type { Modules } from '../../../domain/modules.ts';
import type { KeptHome } from '../schema/entities/home/checkpoint.ts';
import { thingsIn } from './home-rows.ts';

export const keptHome = (modules: Modules, home: Home): KeptHome => ({
  ...home,
  versions: Object.fromEntries(Object.keys(home.things).map((name) => [name, modules.named(name)?.version ?? 1])),
});

/** Without what retired modules left. Throws for things that nobody here can read. */
export const homeFromKept = (modules: Modules, { versions, things, ...kept }: KeptHome): Home => ({
  ...newHome(kept.playerId),
  ...kept,
  things: thingsIn(
    modules,
    Object.entries(things).flatMap(([module, own]) =>
      Object.entries<Thing>(own).map(([thing_id, state]) => ({
        player_id: kept.playerId,
        module,
        thing_id,
        version: versions[module] ?? 1,
        state,
      })),
    ),
  ),
});
