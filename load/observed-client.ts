import type { JoinOptions, SdkClient, SdkRoom } from '../client/follow/sdk.ts';
import type { Rejection } from '../shared/protocol.ts';
import type { Measures } from './measures.ts';
import type { Play } from './play.ts';
import type { Client, Room } from './sdk.ts';

/** The SDK's client, with counts of its joins and requests. */
export class ObservedClient implements SdkClient {
  readonly #client: Client;
  readonly #world: Pick<LoadWorld, 'measures' | 'monotonicMs' | 'isOver'>;
  #room: Room | undefined;
  #signInAtMs: number | undefined;
  #isJoining = false;

  constructor(world: LoadWorld) {
    this.#world = world;
    this.#client = world.newClient();
  }

  get auth(): SdkClient['auth'] {
    const { auth } = this.#client;
    return {
      get token() {
        return auth.token;
      },
      set token(token) {
        auth.token = token ?? '';
      },
      signInAnonymously: () => {
        this.#signInAtMs = this.#world.monotonicMs();
        return this.#attempt(() => auth.signInAnonymously());
      },
    };
  }

  async joinOrCreate(name: string, options: JoinOptions): Promise<SdkRoom> {
    const { measures, monotonicMs } = this.#world;
    const startedAtMs = this.#signInAtMs ?? monotonicMs();
    this.#signInAtMs = undefined;
    const room: Room = await this.#attempt(() => this.#client.joinOrCreate(name, options));
    measures.joins.add(monotonicMs() - startedAtMs);
    this.#room = room;
    const request: SdkRoom['request'] = room.request.bind(room);
    return Object.assign(room, {
      request: (type: string, payload: object, how: { readonly timeout: number }) =>
        type === 'home:time' ? this.#timed(request(type, payload, how)) : this.#counted(request(type, payload, how)),
    });
  }

  /** Counts a join that took too long. */
  giveUp(): void {
    if (this.#isJoining) this.#world.measures.failedJoins.add('no answer');
    this.#isJoining = false;
  }

  drop(): void {
    this.#room?.connection.close();
  }

  async #attempt<Value>(act: () => Promise<Value>): Promise<Value> {
    this.#isJoining = true;
    try {
      return await act();
    } catch (error) {
      if (this.#isJoining && !this.#world.isOver()) this.#world.measures.failedJoins.add(codeOf(error));
      throw error;
    } finally {
      this.#isJoining = false;
    }
  }

  async #timed<Value>(answer: Promise<Value>): Promise<Value> {
    const { measures, monotonicMs } = this.#world;
    const sentAtMs = monotonicMs();
    const value = await answer;
    measures.timeTrips.add(monotonicMs() - sentAtMs);
    return value;
  }

  async #counted<Value>(answer: Promise<Value>): Promise<Value> {
    try {
      return await answer;
    } catch (error) {
      const { reason, code } = error as { readonly reason?: Rejection; readonly code?: string };
      const { refused, unanswered } = this.#world.measures;
      if (reason?.code !== undefined) refused.add(reason.code);
      else unanswered.add(code ?? (this.#room?.connection.isOpen ? 'no answer' : 'connection lost'));
      throw error;
    }
  }
}

const codeOf = (error: unknown): string => {
  const { message, code, cause } = error as {
    readonly message?: string;
    readonly code?: unknown;
    readonly cause?: unknown;
  };
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return message === undefined || message === '' ? String(code ?? 'failed') : message;
};

/** Shared by all players of one run. */
export interface LoadWorld {
  readonly play: Play;
  readonly measures: Measures;
  readonly newClient: () => Client;
  /** 8 to 64 characters, used once. */
  readonly nextCommandId: () => string;
  readonly monotonicMs: () => number;
  /** Ends early when the run is stopped. */
  readonly pause: (ms: number) => Promise<void>;
  /** Whether times count: the ramp-up is over. */
  readonly isMeasuring: () => boolean;
  /** Whether no player joins or sends any more. */
  readonly isOver: () => boolean;
}
