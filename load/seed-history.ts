import { judge } from '../server/domain/decide.ts';
import { fold } from '../server/domain/evolve.ts';
import { Modules } from '../server/domain/modules.ts';
import { openHome } from '../server/domain/open-home.ts';
import { settle } from '../server/domain/settle.ts';
import type { CommandRecord } from '../server/home/model/home-store.ts';
import { commandHash } from '../server/home/model/home-store.ts';
import type { Draw, History } from '../server/ops/offline/seed.ts';
import type { HomeEvent } from '../shared/event.ts';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import type { Pet } from '../shared/pets/pet.ts';
import { petsOf } from '../shared/pets/pet.ts';
import { petsOfRules } from '../shared/pets/pets.ts';
import type { Command } from '../shared/pets/protocol.ts';

export interface SeedWish {
  readonly pets: number;
  /** Events of each player, about. */
  readonly events: number;
}

const HOUR_MS = 3_600_000;
const NAMES = ['Rex', 'Bella', 'Tom', 'Luna', 'Max', 'Nala', 'Leo', 'Mia', 'Bo', 'Kiki', 'Ozzy', 'Pip'];

/** Some weeks of a player's life under the rules, up to `nowMs`, at which all pets eat. The log is as real as any. */
export const petsHistory = (catalogue: Catalogue, wish: SeedWish): History => {
  const modules = new Modules([petsOfRules(catalogue)]);
  return ({ home: before, nowMs, draw }) => {
    let home = before;
    const events: HomeEvent[] = [];
    const commands = new Map<number, CommandRecord>();
    const add = (more: readonly HomeEvent[]): void => {
      events.push(...more);
      home = fold(modules, home, more);
    };
    const startAtMs = nowMs - Math.ceil(wish.events / 2) * HOUR_MS;
    const send = (command: Command, at: number): void => {
      const commandId = `seed-${before.playerId.slice(-40)}-${commands.size}`;
      const judged = judge({ modules, home, command, commandId, nowMs: at });
      add(judged.settled);
      if (!judged.decision.ok) return;
      const [first] = judged.decision.value;
      const last = judged.decision.value.at(-1);
      if (first && last) commands.set(first.seq, { hash: commandHash(command), answerSeq: last.seq });
      add(judged.decision.value);
    };
    add(openHome(modules, home, { nowMs: startAtMs }));
    const names = [...catalogue.species];
    for (let at = 0; at < wish.pets; at += 1) {
      const species = names[Math.floor(draw() * names.length)] ?? 'dog';
      send({ type: 'home:adopt', name: NAMES[Math.floor(draw() * NAMES.length)] ?? 'Rex', species }, startAtMs);
    }
    const [food = ''] = Object.keys(catalogue.foods);
    const cards = Object.keys(catalogue.cards);
    // At the end each pet is given something to eat, which takes two events at most.
    const untilMs = nowMs - HOUR_MS / 2;
    for (
      let at = startAtMs;
      at < untilMs && events.length < wish.events - 2 * wish.pets;
      at += Math.ceil(HOUR_MS * draw())
    ) {
      const pet = pickOf(petsOf(home), draw);
      if (pet) send(playOn(pet, { food, card: pickOf(cards, draw) ?? '', draw }), at);
    }
    const lastMs = Math.max(home.lastAtMs, nowMs - Math.floor((HOUR_MS / 2) * draw()));
    for (const at of [lastMs, nowMs]) {
      add(settle(modules, home, at));
      const hungry = petsOf(home).filter(({ feeding }) => !feeding);
      const lacking = hungry.length - (home.items[food] ?? 0);
      if (lacking > 0) send({ type: 'home:grant', items: { [food]: lacking }, reason: 'seed' }, at);
      for (const { petId } of hungry) send({ type: 'home:feed', petId, food }, at);
    }
    return { before, after: home, events, commands };
  };
};

const pickOf = <Some>(all: readonly Some[], draw: Draw): Some | undefined => all[Math.floor(draw() * all.length)];

const playOn = (pet: Pet, { food, card, draw }: { food: string; card: string; draw: Draw }): Command => {
  const { petId } = pet;
  if (draw() < 0.2) return { type: 'home:grant', items: { [food]: 1 + Math.floor(draw() * 3) }, reason: 'daily gift' };
  if (pet.feeding) return { type: 'home:use-card', petId, card };
  return { type: 'home:feed', petId, food };
};
