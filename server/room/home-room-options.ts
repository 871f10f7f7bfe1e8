import { callable, fields, having, LONGEST_DELAY_MS, objectOf, whole, wholeMs } from '../../shared/options/shapes.ts';
import type { Catalogue } from '../../shared/pets/catalogue.ts';
import type { Modules } from '../domain/modules.ts';
import type { Homes } from '../home/model/homes.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { Clock } from '../runtime/clock.ts';
import { limits } from '../settings/config.ts';
import type { HomeAuthOptions, RevokedTokens, RoomRates } from './home-auth.ts';
import type { PushLimits } from './session/sessions.ts';
import type { Tokens } from './tokens.ts';

export interface HomeRoomOptions extends HomeAuthOptions {
  readonly modules: Modules;
  readonly homes: Homes;
  /** For the levels in the state. */
  readonly catalogue: Catalogue;
  readonly limits: PushLimits;
  readonly bounds?: RoomBounds;
  /** Sets the one timer of all rooms. */
  readonly clock: Pick<Clock, 'after'>;
}

/** See `limits.rooms`, the default. */
export interface RoomBounds {
  readonly rooms: number;
  readonly devicesPerPlayer: number;
  readonly joinMs: number;
  readonly unreadBytes: number;
  readonly framesPerSecond: number;
}

const size = whole({ min: 1, max: Number.MAX_SAFE_INTEGER });
const limit = having<RateLimit>('consume', 'waitMs');

export const homeRoomOptions = fields<HomeRoomOptions>({
  tokens: having<Tokens>('verify'),
  playerId: callable.optional(),
  rates: fields<RoomRates>({ messages: limit, joins: limit, badTokens: limit }).optional(),
  revoked: having<RevokedTokens>('isRevoked', 'wasRevoked').optional(),
  onFault: callable,
  modules: having<HomeRoomOptions['modules']>('ofCommand'),
  homes: having<Homes>('handle', 'quote', 'look', 'sync', 'follow', 'now'),
  catalogue: objectOf('give `kibble.catalogue`'),
  // The reference server passes all bounds of events.
  limits: fields<PushLimits>({ joinMax: size, joinBytes: size }, undefined, limits.events),
  bounds: fields<RoomBounds>({
    rooms: size,
    devicesPerPlayer: size,
    joinMs: wholeMs({ min: 1, max: LONGEST_DELAY_MS }),
    unreadBytes: size,
    framesPerSecond: size,
  }).optional(),
  clock: having<HomeRoomOptions['clock']>('after'),
});
