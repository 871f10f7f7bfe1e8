import type { HomeOrder } from '../../server/home/model/homes.ts';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';

const HOUR_MS = 3_600_000;

/** As in the game, but the food lasts for as many cards as a bench can play: each one moves a timer. */
export const catalogue: Catalogue = {
  ...defaultCatalogue,
  starter: { items: { feast: 1, 'speed-up': 500, boost: 500, 'auto-feed': 3 } },
  foods: { ...defaultCatalogue.foods, feast: { workMs: 4000 * HOUR_MS, xp: 10 } },
};

export const PLAYERS = 20_000;

const playerId = (number: number): string => `bench-player-${number}`;
const petIdOf = (player: string): string => `${player}~p2`;

/** What makes one player: the starter items, a pet that eats. */
export const openingOrders = (number: number): readonly HomeOrder[] => {
  const player = playerId(number);
  return [
    { playerId: player, commandId: 'adopt-it', command: { type: 'home:adopt', name: 'Rex', species: 'dog' } },
    { playerId: player, commandId: 'feed-it!', command: { type: 'home:feed', petId: petIdOf(player), food: 'feast' } },
  ];
};

/** A prime, and so coprime to each number of players: one after the other, all players in an order that no page and no index has. */
const STRIDE = 7_919;

/** The cards of a bench, one after the other: speed-up and boost in turn, each player's turn comes once in `players`. */
export const cardOrder = (number: number, players = PLAYERS): HomeOrder => {
  const player = playerId((number * STRIDE) % players);
  const isBoost = (number + Math.floor(number / players)) % 2 === 0;
  return {
    playerId: player,
    commandId: `card-${number}-of-the-bench`,
    command: { type: 'home:use-card', petId: petIdOf(player), card: isBoost ? 'boost' : 'speed-up' },
  };
};
