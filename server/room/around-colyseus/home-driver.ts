import type { Server } from 'node:http';
import { type IRoomCache, matchMaker, type SortOptions } from '@colyseus/core';

/**
 * The listing of this process' rooms. Colyseus' own looks through all rooms for each join, and there is one for each
 * player who is online; this one finds a room by its id or by its player at once. A room is listed under its player
 * because it is defined with `filterBy(['playerId'])`. Seen in @colyseus/core 0.18.17.
 */
export class HomeDriver implements matchMaker.MatchMakerDriver {
  readonly #byId = new Map<string, IRoomCache>();
  readonly #byPlayer = new Map<unknown, IRoomCache>();

  has(roomId: string): boolean {
    return this.#byId.has(roomId);
  }

  async findOne(conditions: Partial<IRoomCache>, sort?: SortOptions): Promise<IRoomCache> {
    const playerId = fieldOf(conditions, 'playerId');
    const [found] =
      conditions.roomId === undefined && playerId === undefined
        ? this.query(conditions, sort)
        : [this.#byId.get(conditions.roomId ?? '') ?? this.#byPlayer.get(playerId)].filter(
            (room) => room && fits(room, conditions),
          );
    // Colyseus means «none» by undefined, whatever its type says.
    return found as IRoomCache;
  }

  /** For tools that list rooms: reads them all. Unsorted, since every home's room is of equal use to them. */
  query(conditions: Partial<IRoomCache>, _sort?: SortOptions): IRoomCache[] {
    return [...this.#byId.values()].filter((room) => fits(room, conditions));
  }

  async findByIds(roomIds: string[]): Promise<Map<string, IRoomCache>> {
    const found = roomIds.map((roomId) => this.#byId.get(roomId)).filter((room) => room !== undefined);
    return new Map(found.map((room) => [room.roomId, room]));
  }

  async insert(room: IRoomCache): Promise<boolean> {
    return this.persist(room, !this.has(room.roomId));
  }

  persist(room: IRoomCache, isNew = false): boolean {
    if (!isNew) return false;
    this.#byId.set(room.roomId, room);
    const playerId = fieldOf(room, 'playerId');
    if (playerId !== undefined) this.#byPlayer.set(playerId, room);
    return true;
  }

  update(room: IRoomCache, { $set = {}, $inc = {} }: Parameters<matchMaker.MatchMakerDriver['update']>[1]): boolean {
    Object.assign(room, $set);
    room.clients += $inc.clients ?? 0;
    return true;
  }

  remove(roomId: string): boolean {
    const room = this.#byId.get(roomId);
    if (!room) return false;
    this.#byId.delete(roomId);
    const playerId = fieldOf(room, 'playerId');
    // The player's next room may be there already while this one is still being disposed of.
    if (this.#byPlayer.get(playerId) === room) this.#byPlayer.delete(playerId);
    return true;
  }

  async cleanup(processId: string): Promise<void> {
    for (const { roomId } of this.query({ processId })) this.remove(roomId);
  }

  clear(): void {
    this.#byId.clear();
    this.#byPlayer.clear();
  }

  shutdown(): void {
    this.clear();
  }
}

const fits = (room: IRoomCache, conditions: object): boolean =>
  Object.entries(conditions).every(([field, value]) => fieldOf(room, field) === value);

/** A field of a listing, or of what `filterBy` put into its metadata. */
const fieldOf = (room: { readonly metadata?: object }, field: string): unknown => {
  if (Object.hasOwn(room, field)) return Reflect.get(room, field);
  return room.metadata && Object.hasOwn(room.metadata, field) ? Reflect.get(room.metadata, field) : undefined;
};

/** Seen in @colyseus/ws-transport 0.18.4: it prints every error's stack. Ours is thrown to the caller of the start. */
export const quietTransport = (http: Server): void => {
  http.removeAllListeners('error');
};

/**
 * Seen in @colyseus/core 0.18.17: anybody may create rooms, list them and join by id, and any page may read the responses with
 * the player's credentials. The token chooses the room, so two calls are enough; the gate in front says who may read.
 */
export const quietMatchMaker = (): void => {
  matchMaker.controller.exposedMethods = ['joinOrCreate', 'reconnect'];
  Object.assign(matchMaker.controller, { DEFAULT_CORS_HEADERS: {}, getCorsHeaders: () => ({}) });
};
