import { Wheel } from '../../server/timer/wheel/wheel.ts';
import { BinaryHeap, type HeapEntry } from './binary-heap.ts';

/** What wheel and heap have in common; the caller keeps the handle of each timer. */
export interface TimerQueue<Handle> {
  insert(id: number, fireAtMs: number): Handle;
  move(handle: Handle, fireAtMs: number): Handle;
  cancel(handle: Handle): void;
  /** Goes to the next fire time, as a dispatcher does, takes out all that is due then, and answers the time. */
  fireNext(onFired: (id: number) => void): number;
}

export const wheelQueue = (nowMs: number): TimerQueue<number> => {
  const wheel = new Wheel(nowMs);
  return {
    insert: (id, fireAtMs) => wheel.insert(id, fireAtMs),
    move: (handle, fireAtMs) => wheel.move(handle, fireAtMs),
    cancel: (handle) => wheel.cancel(handle),
    fireNext: (onFired) => {
      const nextMs = wheel.nextFireAtMs() ?? Number.NaN;
      for (let handle = wheel.pop(nextMs); handle !== -1; handle = wheel.pop(nextMs)) onFired(wheel.idOf(handle));
      return nextMs;
    },
  };
};

export const heapQueue = (): TimerQueue<HeapEntry> => {
  const heap = new BinaryHeap();
  return {
    insert: (id, fireAtMs) => heap.insert(id, fireAtMs),
    move: (entry, fireAtMs) => {
      heap.move(entry, fireAtMs);
      return entry;
    },
    cancel: (entry) => heap.cancel(entry),
    fireNext: (onFired) => {
      const nextMs = heap.nextFireAtMs() ?? Number.NaN;
      for (let entry = heap.pop(nextMs); entry !== undefined; entry = heap.pop(nextMs)) onFired(entry.id);
      return nextMs;
    },
  };
};
