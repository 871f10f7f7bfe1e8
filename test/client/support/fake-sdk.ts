import type { JoinOptions, SdkClient, SdkRoom } from '../../../client/follow/sdk.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import type { ManualPlatform } from './manual-platform.ts';

export interface Request {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type RejectedError = Error & { readonly reason: object };
type Answer = (request: Request, room: FakeRoom) => unknown;

/** The server's end of one connection, moved by hand. */
export class FakeRoom implements SdkRoom {
  readonly reconnection = { enabled: true };
  readonly requests: Request[] = [];
  readonly #sdk: FakeSdk;
  #listeners = new Map<string, ((message: never) => void)[]>();
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
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener as (message: never) => void]);
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

  /** As a room tells what became of a plain message. A type that `sdk.unknown` names closes the connection. */
  send(type: string, payload: object): void {
    const request = { type, payload: payload as Request['payload'] };
    this.requests.push(request);
    const { platform, unknown } = this.#sdk;
    platform.after(this.#sdk.wayMs(), () => {
      if (this.isLeft) return;
      if (unknown.includes(type)) return this.break(4002);
      const answer = this.#sdk.answer(request, this);
      const { commandId } = request.payload;
      if (answer instanceof Error) this.push('home:rejected', { commandId, ...(answer as RejectedError).reason });
      else if (answer !== undefined) this.push('home:reply', { commandId, ...(answer as object) });
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
    for (const listener of this.#listeners.get(type) ?? []) listener(message as never);
  }

  tell(seqs: readonly number[], more: object = {}): void {
    this.push('home:events', { events: seqs.map(eventOf), nowMs: 0, ...more });
  }

  /** The connection breaks. */
  break(code: number): void {
    for (const reject of this.#pending) reject(new Error('connection closed before a response was received.'));
    this.#pending.clear();
    this.isLeft = true;
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
  /** The outcomes of the next joins, instead of a room. */
  readonly faults: Error[] = [];
  /** Of SDKs before 0.18. */
  isPlain = false;
  /** Types of plain messages that no handler takes. */
  unknown: readonly string[] = [];
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
    if (this.isPlain) Object.defineProperty(room, 'request', { value: undefined });
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

/** As the SDK makes it of a join that the server refused. */
export const joinFault = (code: number, text: string): Error => Object.assign(new Error(text), { code });

/** The SDK's error for a request without a handler. */
export const noHandler = (): Error =>
  Object.assign(new Error('has no handler'), { name: 'no_handler', code: 'no_handler' });

/** As the SDK makes it of `ctx.reject`. */
export const rejected = (code: string, params: object = {}, retryable = false): Error =>
  Object.assign(new Error('request rejected'), { name: 'rejected', reason: { code, params, retryable } });
