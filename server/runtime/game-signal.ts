import { callGame } from '../../shared/game-code.ts';

/** Listeners of the signal are code of the game, and Node ends the process for an error in one: `onFault` gets it. */
export const guardedSignal = (signal: AbortSignal, onFault: (error: unknown) => void): AbortSignal => {
  const known = new WeakMap<object, (event: Event) => void>();
  const wrap = (given: unknown): unknown => {
    if (!isListener(given)) return given;
    const listener =
      known.get(given) ??
      ((event: Event): void => {
        const call = (): unknown =>
          typeof given === 'function' ? given.call(signal, event) : given.handleEvent(event);
        callGame('a listener of the signal', call).catch(onFault);
      });
    known.set(given, listener);
    // Node removes it by this name when the signal of its options aborts.
    known.set(listener, listener);
    return listener;
  };
  for (const name of ['addEventListener', 'removeEventListener'] as const) {
    const original = signal[name].bind(signal) as (...given: unknown[]) => void;
    const own = (type: unknown, listener: unknown, ...rest: unknown[]): void => original(type, wrap(listener), ...rest);
    Object.defineProperty(signal, name, { value: own, writable: true, configurable: true });
  }
  return signal;
};

type Listener = ((event: Event) => unknown) | { readonly handleEvent: (event: Event) => unknown };

const isListener = (given: unknown): given is Listener =>
  typeof given === 'function' || (typeof given === 'object' && given !== null);

/** Calls `work` with a signal of its own, so that what the game adds to it ends with the call. */
export const withOwnSignal = async <T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> => {
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
