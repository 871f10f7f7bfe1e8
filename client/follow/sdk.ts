/** The used part of the Colyseus SDK, so that this package depends on no version of it: the SDK's `Client` and `Room` fit. */
export interface SdkClient {
  readonly auth: {
    // As the SDK types it, although before a sign-in it is undefined.
    get token(): string | undefined;
    set token(token: string);
    signInAnonymously(): Promise<unknown>;
  };
  joinOrCreate(room: string, options: JoinOptions): Promise<SdkRoom>;
}

/** The client's last known event, and that it reads things. */
export interface JoinOptions {
  readonly things: true;
  readonly afterSeq?: number;
  readonly epoch?: string;
}

export interface SdkRoom {
  readonly reconnection: { enabled: boolean };
  onLeave(listener: (code: number) => void): unknown;
  onMessage<Message>(type: string, listener: (message: Message) => void): unknown;
  /** SDKs before 0.18 have none: request and outcome are then plain messages. */
  request?(type: string, payload: object, options: { readonly timeout: number }): Promise<unknown>;
  send?(type: string, payload: object): void;
  leave(consented?: boolean): Promise<number>;
  removeAllListeners(): void;
}
