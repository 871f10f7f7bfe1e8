import { Client } from '@colyseus/sdk';
import { comeBack } from '../../../examples/come-back.ts';
import type { HomeEvent, Reply } from '../../../shared/pets/protocol.ts';
import { Arrivals } from './arrivals.ts';

/** A player that never stops, with a client that reconnects: the one of examples/come-back.ts. */
export class RestlessPlayer {
  readonly accepted: string[] = [];
  readonly #shown = new Arrivals<HomeEvent>();
  readonly #home: ReturnType<typeof comeBack>;
  #commands = 0;

  constructor(client: Client) {
    this.#home = comeBack(client, (event) => this.#shown.add(event));
  }

  /** In the order in which the client showed them. */
  get seen(): readonly HomeEvent[] {
    return this.#shown.all;
  }

  static async signIn(address: string): Promise<RestlessPlayer> {
    const client = new Client(address);
    await client.auth.signInAnonymously();
    return new RestlessPlayer(client);
  }

  /** Rounds of feeding, cards and waiting for the bowl to be empty, until it is over. Ends with a pet that eats nothing. */
  async play(isOver: () => boolean): Promise<void> {
    const { petId = '' } = (await this.ask('home:adopt', { name: 'Rex', species: 'dog' })) ?? {};
    for (let round = 0; !isOver(); round++) {
      const fed = await this.ask('home:feed', { petId, food: 'dog-food' });
      await this.ask('home:use-card', { petId, card: round % 2 === 0 ? 'auto-feed' : 'speed-up' });
      await this.ask('home:use-card', { petId, card: 'boost' });
      if (round % 3 === 0) await this.ask('home:disarm', { petId });
      if (round % 5 === 0) await this.ask('home:stop', { petId });
      else if (fed) await this.saw((event) => event.type === 'feeding-completed' && event.feedingId === fed.feedingId);
    }
    await this.ask('home:disarm', { petId });
    await this.ask('home:stop', { petId });
  }

  /** Undefined when the rules refused it. */
  async ask(type: string, payload: object): Promise<Reply | undefined> {
    const commandId = `restless-${++this.#commands}-command`;
    try {
      const reply = await this.#home.ask(type, { commandId, ...payload });
      this.accepted.push(commandId);
      return reply;
    } catch (error) {
      if ((error as { readonly reason?: object }).reason === undefined) throw error;
      return undefined;
    }
  }

  /** Resolves with an event that fits, also an earlier one. */
  saw(fits: (event: HomeEvent) => boolean): Promise<HomeEvent> {
    return this.#shown.one(fits);
  }

  leave(): Promise<unknown> {
    return this.#home.leave();
  }
}
