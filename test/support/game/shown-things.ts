import type { ThingsMessage, ToldThing } from '../../../shared/protocol.ts';

/** The things of a client that reads `home:things` as docs/protocol.md says. */
export class ShownThings {
  readonly things = new Map<string, ToldThing>();
  items: ThingsMessage['items'] = {};
  seq: number | undefined;
  epoch: string | undefined;
  fault: ThingsMessage['fault'];
  #parts: ThingsMessage[] = [];

  /** A connection begins: its first snapshot counts, whatever was shown before. */
  begin(): void {
    this.seq = undefined;
    this.#parts = [];
  }

  take(message: ThingsMessage): void {
    this.#parts.push(message);
    if (message.more) return;
    const parts = this.#parts;
    this.#parts = [];
    const { snapshot, seq, items, fault } = message;
    const isAnother = snapshot !== undefined && snapshot.epoch !== this.epoch;
    if (!isAnother && this.seq !== undefined && (snapshot ? seq < this.seq : seq <= this.seq)) return;
    if (snapshot) this.things.clear();
    for (const part of parts) {
      for (const { module, id } of part.gone) this.things.delete(`${module} ${id}`);
      for (const thing of part.things) this.things.set(`${thing.module} ${thing.id}`, thing);
    }
    this.seq = seq;
    this.items = items;
    this.fault = fault;
    this.epoch = snapshot?.epoch ?? this.epoch;
  }

  of(module: string): Readonly<Record<string, unknown>> {
    const own = [...this.things.values()].filter((thing) => thing.module === module);
    return Object.fromEntries(own.map(({ id, state }) => [id, state]));
  }
}
