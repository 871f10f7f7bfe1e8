import type { JoinOptions, SdkClient, SdkRoom } from '../../../client/follow/sdk.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import type { ManualPlatform } from './manual-platform.ts';

export interface Request {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type Answer = (request: Request, room: FakeRoom) => unknown;

/** The server's end of one connection, moved by hand. */
export class FakeRoom implements SdkRoom {
  readonly reconnection = { enabled: true };
  readonly requests: Request[] = [];
  readonly #sdk: FakeSdk;
  #listeners = new Map<string, (message: never) => void>();
  #left: (code: number) => void = () => undefined;
  #pending = new Set<(error: Error) => void>();
  isLeft = false;

  constructor(sdk: FakeSdk) {
    this.#sdk = sdk;
  }

  onLeave(listener: (code: number) => void): void {
    this.#left = listener;
  }

  onMessage<Message>(type: string, listener: (message: Message) => void): void {
    this.#listeners.set(type, listener as (message: never) => void);
  }

  async request(type: string, payload: object): Promise<unknown> {
    const request = { type, payload: payload as Request['payload'] };
    this.requests.push(request);
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      const { wayMs, platform } = this.#sdk;
      const [forthMs, backMs] = [wayMs(), wayMs()];
      platform.after(forthMs, () => {
        const answer = this.#sdk.answer(request, this);
        if (answer === undefined) return;
        platform.after(backMs, () => {
          this.#pending.delete(reject);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      });
    });
  }

  async leave(): Promise<number> {
    this.isLeft = true;
    return 4000;
  }

  removeAllListeners(): void {
    this.#listeners = new Map();
    this.#left = () => undefined;
  }

  show(home: { readonly seq: number; readonly epoch?: string; readonly playerId?: string }): void {
    const { seq, playerId = 'ann', epoch = 'one' } = home;
    this.push('home:things', { seq, things: [], gone: [], items: {}, snapshot: { playerId, epoch } });
  }

  push(type: string, message: object): void {
    this.#listeners.get(type)?.(message as never);
  }

  tell(seqs: readonly number[], more: object = {}): void {
    this.push('home:events', { events: seqs.map(eventOf), nowMs: 0, ...more });
  }

  /** The connection breaks. */
  break(code: number): void {
    for (const reject of this.#pending) reject(new Error('connection closed before a response was received.'));
    this.#pending.clear();
    this.#left(code);
  }

  of(type: string): readonly Request[] {
    return this.requests.filter((request) => request.type === type);
  }
}

export class FakeSdk implements SdkClient {
  readonly platform: ManualPlatform;
  readonly rooms: FakeRoom[] = [];
  readonly joins: JoinOptions[] = [];
  /** How long a message takes. */
  wayMs: () => number = () => 0;
  serverOffsetMs = 1_700_000_000_000;
  /** Undefined: no answer. */
  answer: Answer = ({ type }) => (type === 'home:time' ? this.time() : undefined);
  /** What the next joins meet, instead of a room. */
  readonly faults: Error[] = [];
  signIns = 0;
  auth = {
    token: undefined as unknown as string,
    signInAnonymously: async () => {
      this.signIns += 1;
      this.auth.token = `guest-${this.signIns}`;
    },
  };

  constructor(platform: ManualPlatform) {
    this.platform = platform;
  }

  async joinOrCreate(_room: string, options: JoinOptions): Promise<FakeRoom> {
    this.joins.push(options);
    const fault = this.faults.shift();
    if (fault) throw fault;
    const room = new FakeRoom(this);
    this.rooms.push(room);
    return room;
  }

  time(): object {
    return { nowMs: this.nowMs() };
  }

  nowMs(): number {
    return this.platform.nowMs() + this.serverOffsetMs;
  }

  get room(): FakeRoom {
    const room = this.rooms.at(-1);
    if (!room) throw new Error('nobody has joined');
    return room;
  }
}

export const eventOf = (seq: number): HomeEvent => ({ v: 1, seq, at: seq, type: 'pet-released', petId: 'ann~p1' });

/** As the SDK makes it of `ctx.reject`. */
export const rejected = (code: string, params: object = {}, retryable = false): Error =>
  Object.assign(new Error('request rejected'), { name: 'rejected', reason: { code, params, retryable } });
