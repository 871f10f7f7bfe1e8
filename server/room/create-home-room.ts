import { type AuthContext, type Client, ErrorCode, ServerError } from '@colyseus/core';
import { guardedFault } from '../../shared/game-code.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { joinOptions } from '../../shared/protocol.ts';
import { limits } from '../settings/config.ts';
import { sharedHandlers } from './around-colyseus/lean-rooms.ts';
import { authOf, type HomeAuth } from './home-auth.ts';
import { homeMessages } from './home-messages.ts';
import { HomeRoom } from './home-room.ts';
import { type HomeRoomOptions, homeRoomOptions } from './home-room-options.ts';
import type { Session } from './session/session.ts';
import { SharedInterval } from './shared-interval.ts';
import { describeThings } from './show-home.ts';

export { HomeState } from '../../shared/home-state.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../../shared/options/options-refused.ts';
export type { Homes } from '../home/model/homes.ts';
export type { Bearer, Revocations, Revoked } from '../home/revocations.ts';
export type { RateLimit } from '../http/rate-limit.ts';
export type { HomeAuth, HomeAuthOptions, RevokedTokens, RoomRates } from './home-auth.ts';
export type { HomeHandler, HomeHandlers } from './home-messages.ts';
export type { HomeClient, HomeJoinOptions } from './home-room.ts';
export { HomeRoom, TOKEN_ENDED } from './home-room.ts';
export type { HomeRoomOptions, RoomBounds } from './home-room-options.ts';
export type { HomeMessages } from './session/session-options.ts';
export type { OnFault, PushLimits } from './session/sessions.ts';
export type { Identity, Tokens } from './tokens.ts';

const SECOND_MS = 1_000;

/** Makes the room's class. Throws `OptionsRefused`. Colyseus passes rooms no arguments, and `onAuth` no `this`. */
export const createHomeRoom = (given: HomeRoomOptions): typeof HomeRoom & (new () => HomeRoom) => {
  const read = readOptions(homeRoomOptions, given, 'createHomeRoom');
  const options = { ...read, onFault: guardedFault(read.onFault) };
  const open = new Set<HomeRoom>();
  const { onFault, rates, clock } = options;
  const sessionOf = new WeakMap<Client, Session>();
  const interval = new SharedInterval({
    clock,
    everyMs: SECOND_MS,
    onFault: (error) => onFault('the beat of a home room failed', error),
  });
  const messages = homeMessages({
    ...options,
    rate: rates?.messages,
    sessionOf: (client) => sessionOf.get(client),
  });
  const handlers = sharedHandlers(messages, (error) => onFault('a message could not be handled', error));
  const shared = { handlers, sessionOf, interval, describe: describeThings(options.modules) };
  return class extends HomeRoom {
    constructor() {
      super(options, shared);
    }

    override onCreate(asked: { readonly playerId?: unknown }): void {
      if (open.size >= (options.bounds ?? limits.rooms).rooms) {
        throw new ServerError(ErrorCode.APPLICATION_ERROR, 'server/unavailable');
      }
      open.add(this);
      super.onCreate(asked);
    }

    override onDispose(): void {
      open.delete(this);
      super.onDispose();
    }

    /** Runs before a room is chosen: the token decides the room, whatever the client asked for. */
    static override async onAuth(token: string, asked: unknown, { ip = '' }: AuthContext): Promise<HomeAuth> {
      if (typeof asked !== 'object' || asked === null) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
      const auth = await authOf(options, token, ip);
      for (const option of Object.keys(asked)) if (!isJoinOption(option)) Reflect.deleteProperty(asked, option);
      Object.assign(asked, { playerId: auth.playerId });
      return auth;
    }
  };
};

const isJoinOption = (option: string): boolean => Object.hasOwn(joinOptions.shape, option);
