import { setTimeout as pass } from 'node:timers/promises';
import type { ChangeOutcome } from '../../../server/timer/model/timer-changes.ts';
import type { ScheduleAnswer } from '../../../server/timer/model/timer-writes.ts';
import type { TimerService } from '../../../server/timer/timer-service.ts';
import { type Random, randomOf } from '../play/random.ts';

interface Options {
  readonly timers: Pick<TimerService, 'schedule' | 'reschedule'>;
  readonly name: string;
  readonly owners: readonly [string, ...string[]];
}

const AT_FIRST = 300;
const NEW_ONES = 8;
const MOVED = 4;
const EVERY_MS = 25;
/** All orders are due in 20 to 60 s; those that are due late are moved to come soon, or each run would take a minute. */
const SOON = { fromMs: 20_000, spanMs: 2_000 } as const;
const LATE_MS = 58_000;

/** Orders that are scheduled and moved all the time. */
export class OrderLoad {
  readonly #options: Options;
  readonly #random: Random;
  readonly #dueAtMs = new Map<string, number>();
  readonly #late: string[] = [];
  #count = 0;
  #isRunning = true;
  #running: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#random = randomOf(1).fork(options.name);
  }

  /** Resolves when there are orders to move. */
  async start(): Promise<void> {
    await this.#schedule(AT_FIRST, 100);
    this.#running = this.#run();
  }

  /** Resolves when all that it began is committed, and nothing is due late. Returns when each is due, by id of timer. */
  async stop(): Promise<ReadonlyMap<string, number>> {
    this.#isRunning = false;
    await this.#running;
    await this.#move(this.#late.length);
    return this.#dueAtMs;
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      await this.#schedule(NEW_ONES, 25);
      await this.#move(MOVED);
      await pass(EVERY_MS);
    }
  }

  async #schedule(count: number, percentLate: number): Promise<void> {
    const { timers, name, owners } = this.#options;
    const orders = Array.from({ length: count }, () => {
      this.#count += 1;
      const inMs = this.#random.percent(percentLate) ? LATE_MS : this.#soonMs();
      return { kind: 'order', subject: `${name}-${this.#count}`, owner: this.#random.pick(owners), inMs };
    });
    this.#note(await timers.schedule(orders));
    this.#late.push(...orders.flatMap(({ subject, inMs }) => (inMs === LATE_MS ? subject : [])));
  }

  async #move(count: number): Promise<void> {
    const moved = this.#late.splice(0, count);
    const orders = moved.map((subject) => ({ kind: 'order', subject, inMs: this.#soonMs() }));
    this.#note(await this.#options.timers.reschedule(orders));
  }

  #note(outcomes: readonly (ScheduleAnswer | ChangeOutcome)[]): void {
    for (const outcome of outcomes) {
      if (outcome.outcome !== 'applied') throw new Error(`an order was not taken: ${outcome.outcome}`);
      this.#dueAtMs.set(outcome.timer.id, outcome.timer.dueAtMs);
    }
  }

  #soonMs(): number {
    return SOON.fromMs + this.#random.below(SOON.spanMs);
  }
}
