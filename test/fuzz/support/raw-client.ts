import { type Seat, type Signs, seatOf } from '../../support/machine/raw-socket.ts';
import { pack, requestFrame } from './pack.ts';

const JOIN_ROOM = 10;
const ROOM_RESPONSE = 22;
const HANG_MS = 20_000;

export interface Answer {
  /** 0: accepted, 1: rejected, 2: failed. */
  readonly status: number;
  readonly body: Buffer;
}

/** A client that sends whatever bytes it likes, from whatever address. */
export class RawClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  /** All that the server has sent. */
  readonly received: Buffer[] = [];
  readonly ended: Promise<number>;
  #nextId = 0;

  private constructor(socket: WebSocket, ended: Promise<number>) {
    this.#socket = socket;
    this.ended = ended;
    ended.then(() => {
      for (const answer of this.#waiting.values()) answer(undefined);
    });
    socket.addEventListener('message', ({ data }) => this.#hear(Buffer.from(data as ArrayBuffer)));
  }

  /** Joins the home of this guest. Throws when that is refused. */
  static async join(victim: Signs, sub: string, address = addressFor(sub)): Promise<RawClient> {
    const seat = await seatOf(victim, sub, { 'x-forwarded-for': address });
    return RawClient.sit(victim, seat, address);
  }

  static async sit(victim: Pick<Signs, 'address'>, seat: Seat, address: string, query = ''): Promise<RawClient> {
    const { processId, roomId, sessionId } = seat;
    const url = `${victim.address.replace('http', 'ws')}/${processId}/${roomId}?sessionId=${sessionId}${query}`;
    const socket = new WebSocket(url, { headers: { 'x-forwarded-for': address } });
    socket.binaryType = 'arraybuffer';
    const ended = new Promise<number>((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
      socket.addEventListener('error', () => resolve(1006));
    });
    const client = new RawClient(socket, ended);
    const isJoined = new Promise<boolean>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(new Uint8Array(data as ArrayBuffer)[0] === JOIN_ROOM));
      ended.then(() => resolve(false));
    });
    if (!(await inTime(isJoined, 'a join'))) throw new Error('the seat was refused');
    socket.send(Buffer.from([JOIN_ROOM]));
    return client;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.isOpen) this.#socket.send(frame);
  }

  /** Undefined: the connection ended first. Throws when there is neither answer nor end. */
  async ask(type: string, payload: unknown): Promise<Answer | undefined> {
    const id = this.#nextId++ % 100;
    const answered = new Promise<Answer | undefined>((resolve) => this.#waiting.set(id, resolve));
    if (!this.isOpen) return undefined;
    this.send(requestFrame(id, type, pack(payload)) as Buffer<ArrayBuffer>);
    return inTime(answered, type);
  }

  async leave(): Promise<void> {
    this.#socket.close();
    await this.ended;
  }

  #hear(frame: Buffer): void {
    this.received.push(frame);
    const [code, id = 0, status = 2] = frame;
    if (code !== ROOM_RESPONSE || id > 99) return;
    this.#waiting.get(id)?.({ status, body: frame.subarray(3) });
    this.#waiting.delete(id);
  }
}

/** A promise that is never kept is a server that hangs. */
export const inTime = async <Value>(promise: Promise<Value>, what: string): Promise<Value> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hung: no answer to ${what}`)), HANG_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Everybody lives somewhere else. */
export const addressFor = (name: string): string => {
  let hash = 7;
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return `10.${(hash >>> 16) & 255}.${(hash >>> 8) & 255}.${hash & 255}`;
};
