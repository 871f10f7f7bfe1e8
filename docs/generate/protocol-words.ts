import type { PetsEventType } from '../../shared/pets/events.ts';
import type { PlayerCommandType, RejectionCode } from '../../shared/pets/protocol.ts';

/** What no schema says. Each table is complete: a new command, event or code without its words does not compile. */

export const commandWords: Readonly<Record<PlayerCommandType, string>> = {
  'home:adopt':
    'A new pet. The name is trimmed; one that is empty, too long or unfit to show is refused with `name/refused`.',
  'home:feed': 'One of this food is taken, and the pet begins to eat.',
  'home:use-card':
    'Plays a card on what the pet eats. `count` cards at once: all or nothing. `maxWastedMs`: refuse rather than waste more work than this. With `feedingId` the card is for this feeding and no later one.',
  'home:disarm': 'Takes armed repeat cards back, the newest first; without `count` all of them.',
  'home:stop':
    'Ends the feeding uncompleted. Armed cards come back; the food does within `undoMs` of feeding by hand, if no card was played.',
  'home:release': 'As `home:stop`, then the pet is gone for good.',
};

export const eventWords: Readonly<Record<PetsEventType, string>> = {
  'pet-adopted': 'A pet came.',
  'feeding-started': 'By hand, or by a repeat card at the end of the feeding before.',
  'card-used':
    'What is left of the work then, and the new due time. `boostRate` and `boostEndsAt` of a boost, `autoFeeds` (armed now) of a repeat card, `wastedMs` of a cut beyond the end.',
  'feeding-completed': '`at` is its due time, to the millisecond.',
  'feeding-stopped':
    '`items`: what came back. `autoFeeds`: feedings of a partly used repeat card that stay armed on the pet, for after its next meal; missing: none.',
  'auto-feed-blocked': 'A chain waits: there is no more of its food. It goes on when some arrives.',
  'auto-feed-disarmed':
    '`items`: the cards that came back. `autoFeeds`: feedings that stay armed; missing: none (in an old log: those of the whole cards that are left).',
  'items-granted': 'Given or taken by the game. The first event of each player is this one, with the starter items.',
  'pet-released': 'A pet went.',
  'feeding-shifted': 'By an operator.',
  'player-frozen': 'By an operator: commands are refused until `player-unfrozen`; what is eaten is eaten on.',
  'player-unfrozen': 'By an operator.',
  'home-merged': 'By an operator: everything went to the home of `into`, and this one is closed.',
  'home-received': 'By an operator: the home of `from` came into this one. `pet-arrived` follows for each of its pets.',
  'module-opened':
    'A part of the game came that was not there when the player began; `items`: what one begins with there.',
  'thing-arrived': 'After `home-received`: something of another module than the pets came along.',
  'pet-arrived': '`from`: its id in the other home. What it ate there goes on, and is due when it was due there.',
};

interface RejectionWords {
  readonly params: string;
  readonly meaning: string;
}

export const rejectionWords: Readonly<Record<RejectionCode, RejectionWords>> = {
  'command/invalid': {
    params: '`faults: [{ path, message }]`, at most 10',
    meaning: 'The message is not as this page says. A fault of the client program.',
  },
  'command/reused': {
    params: '`commandId`',
    meaning: 'Another command was sent under this id before. Make a new id for each thing that the player does.',
  },
  'pet/unknown': { params: '`petId`', meaning: 'The player has no such pet (any more).' },
  'pet/limit': { params: '`limit`', meaning: 'The player has as many pets as are allowed.' },
  'pet/eating': { params: '`petId`, `feedingId`', meaning: 'It eats already.' },
  'pet/not-eating': { params: '`petId`', meaning: 'There is nothing to play a card on, or to stop.' },
  'pet/auto-feeds-full': { params: '`petId`, `have`, `max`', meaning: 'No more repeat cards fit on this pet.' },
  'species/unknown': { params: '`species`', meaning: 'The rules have no such species.' },
  'name/refused': {
    params: '`why`: `empty`, `too-long` (with `max`) or `characters`',
    meaning: 'The pet cannot be called that.',
  },
  'feeding/already-done': {
    params: '`petId`, `feedingId`',
    meaning: 'The feeding ended before the card came: at the due time itself it is too late. The card is kept.',
  },
  'feeding/too-long': {
    params: '`dueAt`, `latestAt`',
    meaning: 'It would be due beyond the end of the clock, `latestAt`, in the year 2109. Nothing is taken.',
  },
  'card/would-waste': {
    params: '`wastedMs`, `maxWastedMs`',
    meaning: 'More of the card would be lost than the command allowed. The card is kept.',
  },
  'card/partly-used': {
    params: '`petId`, `autoFeeds`',
    meaning:
      'Only one repeat card lies on the pet, and feedings of it were used already. It cannot go back; the `autoFeeds` feedings that are left stay armed.',
  },
  'boost/other-rate': { params: '`rate`, `endsAt`', meaning: 'A boost of another rate runs. The card is kept.' },
  'boost/too-long': {
    params: '`endsAt`, `maxMs`',
    meaning:
      'The boost would run until `endsAt`, more than `limits.boostMs` of the rules from now. The cards are kept.',
  },
  'item/unknown': { params: '`item`', meaning: 'No module and no option of the game declares such an item.' },
  'item/out-of-stock': {
    params: '`item`, `have`, `need` (of armed cards `petId` instead of `item`)',
    meaning: 'The player has too few.',
  },
  'item/too-many': {
    params: '`item`, `have`, `more`',
    meaning: 'The player would have more of it than can be counted, 2^53 - 1. Nothing was given.',
  },
  'inventory/refused': {
    params: '',
    meaning:
      'The game’s own inventory failed on it or refused it. Nothing was done, and the same again will fail again: a fault of the server’s.',
  },
  'module/fault': {
    params: '`module`, `thing`',
    meaning: 'A rule of the game is broken there. The home stands still until it is mended; nothing is lost.',
  },
  'sync/ahead': {
    params: '`epoch`, `seq`',
    meaning: 'The client knows of more than there is, or of another life of the database: forget all and start anew.',
  },
  'player/frozen': { params: '', meaning: 'An operator has stopped this player.' },
  'player/not-frozen': { params: '', meaning: 'An operator wanted to release a player who is not frozen.' },
  'rate/limited': { params: '`retryAfterMs`', meaning: 'Too many at once. Wait, then send the same command again.' },
  'server/unavailable': {
    params: '`outcome: "unknown"`, when it may have been done all the same',
    meaning: 'Nothing was done. Send the same `commandId` again, a little later.',
  },
};

export const routes: readonly (readonly [route: string, who: string, what: string])[] = [
  ['GET /', 'everybody', 'the page'],
  [
    'GET /rules.json',
    'everybody',
    'what there is and what it does: `{ species, foods, cards, levels, limits }` as in a rules file, by the rules in force; with an ETag of its content, for any origin',
  ],
  [
    'GET /works.json',
    'everybody',
    'what the works do, by the module’s name: `{ town: { things, slots, activities, cards, ... } }` as in a rules file, durations in ms, by the rules in force, and `opensAt`: what is closed now, with when it opens next; `?module=town` for those alone; `{}` without works; a module whose rules this server cannot read is left out; with an ETag of its content, for any origin',
  ],
  [
    'POST /auth/anonymous',
    'everybody',
    'a guest: `{ user: { anonymous: true }, token }`; the body is ignored. 403 `auth/no-guests`',
  ],
  ['POST /matchmake/joinOrCreate/home', 'a token', "Colyseus' own; what the SDK's `joinOrCreate` calls"],
  ['POST /matchmake/reconnect/:roomId', 'a reconnection token', "Colyseus' own"],
  ['GET /livez', 'everybody', '200 while the event loop turns'],
  [
    'GET /readyz',
    'everybody',
    '200 `{ ready: true, degraded: [] }`, with `"redis"` while Redis is away and `"clock"` while time is held because Postgres’ clock jumped; 503 `{ ready: false }` while it starts or stops, where no command can be accepted, and while another process has the right to run',
  ],
  ['GET /metrics', 'operators', 'the text that Prometheus reads; 401 without the bearer token of one'],
];

export const closeCodes: readonly (readonly [code: string, meaning: string, then: string])[] = [
  ['1000, 4000', 'the client left', ''],
  [
    '1001, 1005, 1006',
    'the connection broke',
    'the SDK reconnects by itself within a minute; then ask with `home:sync`',
  ],
  ['4001', 'the server stops', 'join again: another one serves'],
  [
    '4002',
    'thrown out: more than 150 frames a second on one connection; in a room of your own more than 500, a frame that cannot be read, or a plain message that it has no handler for',
    'a fault of the client program',
  ],
  ['4003', 'the reconnection came too late', 'join again'],
  ['4401', 'the token that it joined with has ended, or was revoked', 'join again with a new one'],
];

export const joinErrors: readonly (readonly [message: string, meaning: string])[] = [
  ['auth/missing', 'no token came with the join'],
  ['auth/expired', 'the token was good once: sign in again'],
  ['auth/refused', "the token is not of an issuer that counts here, or was revoked, or the home is another player's"],
  ['server/unavailable', 'Postgres or the keys of the issuer cannot be reached, or the process is full: try again'],
  [
    'inventory/refused',
    'the game’s own inventory failed on the home: a fault of the server’s, which the same join will meet again',
  ],
  ['rate/limited', 'too many joins of this player, or too many requests of this address: try again later'],
  ['devices/limit', 'the player has as many connections to this process as one may have'],
  ['origin/refused', 'the page is of an origin that is neither the server’s own nor in ALLOWED_ORIGINS'],
];
