import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Room } from '@colyseus/core';
import { describe, expect, it } from 'vitest';
import { sharedHandlers, shareHandlers } from '../../../server/room/around-colyseus/lean-rooms.ts';

const heard: unknown[][] = [];
const faults: unknown[] = [];
const torn = new Error('torn');
const handlers = {
  say: (...args: unknown[]) => heard.push(args),
  fail: () => {
    throw torn;
  },
};
const shared = sharedHandlers(handlers, (error) => faults.push(error));

class SharingRoom extends Room {
  constructor() {
    super();
    shareHandlers(this, shared);
  }
}

/** Where Colyseus looks for the handlers of a message. */
const registryOf = (room: Room) =>
  Reflect.get(room, 'onMessageEvents') as {
    readonly events: Readonly<Record<string, readonly unknown[] | undefined>>;
    readonly emit: (type: string, ...args: readonly unknown[]) => void;
  };

describe('rooms that share their handlers', () => {
  it('find the very same ones, and call them with what came', () => {
    const [one, other] = [new SharingRoom(), new SharingRoom()].map(registryOf);
    expect(one?.events.say?.[0]).toBe(other?.events.say?.[0]);
    one?.emit('say', 'client', 'hello', 'context');
    expect(heard).toEqual([['client', 'hello', 'context']]);
  });

  it('end no process by one that throws', () => {
    registryOf(new SharingRoom()).emit('fail');
    expect(faults).toEqual([torn]);
  });

  it('keep what a room registers by itself to that room', () => {
    const [one, other] = [new SharingRoom(), new SharingRoom()];
    one.onMessage('own', () => undefined);
    expect(registryOf(one).events.own).toHaveLength(1);
    expect(registryOf(other).events.own).toBeUndefined();
    expect(() => one.onMessage('say', () => undefined)).toThrow();
    expect(registryOf(other).events.say).toHaveLength(1);
  });

  it('find none by the names that every object has', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(registryOf(new SharingRoom()).events[name]).toBeUndefined();
    }
  });
});

const root = path.join(import.meta.dirname, '../../..');
const folder = path.join(root, 'server/room/around-colyseus');
const installed = (name: string): string =>
  JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8')).version;

it.each(globSync('*.ts', { cwd: folder }))(
  '%s says in which version it was seen: look again after an upgrade',
  (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const seen = [...text.matchAll(/(@colyseus\/[\w-]+) (\d+\.\d+\.\d+)/g)];
    expect(seen).not.toHaveLength(0);
    for (const [, name = '', version] of seen) expect(version, name).toBe(installed(name));
  },
);
