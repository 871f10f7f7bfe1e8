import type { Server } from 'node:http';
import { type IRoomCache, matchMaker, type SortOptions } from '@colyseus/core';

/**
 * The listing of this process's rooms. Colyseus' own listing searches all rooms for each join, and there is one room
 * for each online player. This one finds a room at once by its id or its player, because rooms are defined with
 * `filterBy(['playerId'])`. Checked with @colyseus/core 0.18.17.
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
    // Colyseus expects undefined for «none», whatever the type says.
    return found as IRoomCache;
  }

  /** For tools that list rooms: reads them all. Unsorted, because tools do not prefer any room. */
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
    // The player's next room may exist already while this one is being disposed.
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

/** A field of a listing, or of the metadata that `filterBy` fills. */
const fieldOf = (room: { readonly metadata?: object }, field: string): unknown => {
  if (Object.hasOwn(room, field)) return Reflect.get(room, field);
  return room.metadata && Object.hasOwn(room.metadata, field) ? Reflect.get(room.metadata, field) : undefined;
};

/** @colyseus/ws-transport 0.18.4 prints every error's stack. Here the caller of the start gets the error. */
export const quietTransport = (http: Server): void => {
  http.removeAllListeners('error');
};

/**
 * In @colyseus/core 0.18.17 any client may create, list and join rooms by id, and any page may read the responses with
 * the player's credentials. Here the token chooses the room, so two calls suffice. The gate decides which pages may
 * read.
 */
export const quietMatchMaker = (): void => {
  matchMaker.controller.exposedMethods = ['joinOrCreate', 'reconnect'];
  Object.assign(matchMaker.controller, { DEFAULT_CORS_HEADERS: {}, getCorsHeaders: () => ({}) });
};
