import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';
import type { ModuleFault } from '../../domain/module-fault.ts';
import type { Answer } from '../model/commit.ts';
import type { AnsweredCommand, CommandRecord, HomeChange } from '../model/home-store.ts';

/** A home's change while its orders are judged. */
export interface OpenChange extends HomeChange {
  after: Home;
  readonly events: HomeEvent[];
  readonly commands: Map<number, CommandRecord>;
  readonly answers: Answer[];
  /** Commands that were accepted before, also in this batch. */
  readonly answered: Map<string, Pick<AnsweredCommand, 'hash' | 'events'>>;
  readonly orderFaults: ModuleFault[];
  /** Adds events, and the home after them. */
  add(events: readonly HomeEvent[], after: Home): void;
}

export const openChange = (before: Home, answered: readonly AnsweredCommand[]): OpenChange => {
  const own = answered.filter((command) => command.playerId === before.playerId);
  return {
    before,
    after: before,
    events: [],
    commands: new Map(),
    answers: [],
    answered: new Map(own.map((command) => [command.commandId, command])),
    orderFaults: [],
    add(events, after) {
      this.after = after;
      this.events.push(...events);
    },
  };
};
