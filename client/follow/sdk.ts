/**
 * What is used of the Colyseus SDK, so that this package depends on no version of it: the SDK's `Client` and `Room` fit.
 */
export interface SdkClient {
  readonly auth: {
    // As the SDK types it, though before a sign-in it is neither.
    get token(): string | undefined;
    set token(token: string);
    signInAnonymously(): Promise<unknown>;
  };
  joinOrCreate(room: string, options: JoinOptions): Promise<SdkRoom>;
}

/** Where the client was when it last knew, and that it reads things. */
export interface JoinOptions {
  readonly things: true;
  readonly afterSeq?: number;
  readonly epoch?: string;
}

export interface SdkRoom {
  readonly reconnection: { enabled: boolean };
  onLeave(listener: (code: number) => void): unknown;
  onMessage<Message>(type: string, listener: (message: Message) => void): unknown;
  /** SDKs before 0.18 have none: the same goes as a plain message, and what became of it comes as one. */
  request?(type: string, payload: object, options: { readonly timeout: number }): Promise<unknown>;
  send?(type: string, payload: object): void;
  leave(consented?: boolean): Promise<number>;
  removeAllListeners(): void;
}
