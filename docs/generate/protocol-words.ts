import type { PetsEventType } from '../../shared/pets/events.ts';
import type { PlayerCommandType, RejectionCode } from '../../shared/pets/protocol.ts';

/** Words that no schema has. Each table is complete: a new command, event or code without words does not compile. */

export const commandWords: Readonly<Record<PlayerCommandType, string>> = {
  'home:adopt':
    'Makes a new pet. The name is trimmed; a name that is empty, too long or unfit to show is refused with `name/refused`.',
  'home:feed': 'Takes one of this food; the pet begins to eat.',
  'home:use-card':
    'Plays a card on the running feeding. `count` plays so many cards: all or none. With `maxWastedMs`, the command is refused if more work would be lost. With `feedingId` the card is for this feeding only, not for a later one.',
  'home:disarm': 'Returns armed repeat cards to the stock, the newest first; without `count` all of them.',
  'home:stop':
    'Ends the feeding before it completes. Armed cards come back. The food comes back too within `undoMs` after feeding by hand, if no card was played.',
  'home:release':
    'Removes the pet for good. A running feeding ends as by `home:stop`. Armed cards come back, also of a pet that does not eat; a partly used one is lost.',
};

export const eventWords: Readonly<Record<PetsEventType, string>> = {
  'pet-adopted': 'A new pet.',
  'feeding-started': 'A feeding began: by hand, or by a repeat card (at once, or when food came).',
  'card-used':
    'Has the work that is left, and the new due time. A boost has `boostRate` and `boostEndsAt`, a repeat card `autoFeeds` (armed now), a cut `wastedMs` (0: nothing was lost).',
  'feeding-completed': '`at` is the due time of the feeding, to the millisecond.',
  'feeding-stopped':
    '`items` came back. `autoFeeds`: armed feedings of a partly used repeat card, which follow the next meal; missing: none.',
  'auto-feed-blocked': 'A chain waits because its food is used up. The chain continues when food arrives.',
  'auto-feed-disarmed':
    '`items` are the cards that came back. `autoFeeds`: feedings that stay armed; missing: none (in an old log: the feedings of the whole cards that are left).',
  'items-granted':
    'The game gave or took items. The first event of each player is of this type, with the starter items; `opened`: the modules that opened the home (an old log has `modules` instead: all of these modules except the oldest one).',
  'pet-released': 'The pet is gone.',
  'feeding-shifted': 'An operator moved the due time.',
  'player-frozen': 'By an operator: commands are refused until `player-unfrozen`; running feedings go on.',
  'player-unfrozen': 'By an operator: commands are accepted again.',
  'home-merged': 'By an operator: all but the things in `left` moved to the home of `into`; this home is frozen.',
  'home-received':
    'By an operator: the home of `from` was merged into this one. `pet-arrived` follows for each of its pets.',
  'module-opened':
    'A module opens in a home that has events: the game added the module, or a guest with it is merged into this home. `items` are the starter items of the module.',
  'thing-arrived': 'After `home-received`: a thing of another module than the pets arrived.',
  'pet-arrived': '`from` is the id of the pet in the other home. Its feeding goes on, with the same due time.',
};

interface RejectionWords {
  readonly params: string;
  readonly meaning: string;
}

export const rejectionWords: Readonly<Record<RejectionCode, RejectionWords>> = {
  'command/invalid': {
    params: '`faults: [{ path, message }]`, at most 10',
    meaning: 'The message does not match this page: a fault of the client program.',
  },
  'command/reused': {
    params: '`commandId`',
    meaning: 'Another command had this id before. Use a new id for each action of the player.',
  },
  'pet/unknown': { params: '`petId`', meaning: 'The player has no such pet.' },
  'pet/limit': { params: '`limit`', meaning: 'The player has `limit` pets already.' },
  'pet/eating': { params: '`petId`, `feedingId`', meaning: 'The pet already eats.' },
  'pet/not-eating': {
    params: '`petId`',
    meaning: 'The pet does not eat; it never ate, or its last feeding was stopped.',
  },
  'pet/auto-feeds-full': { params: '`petId`, `have`, `max`', meaning: 'No more repeat cards fit on this pet.' },
  'species/unknown': { params: '`species`', meaning: 'The rules have no such species.' },
  'name/refused': {
    params: '`why`: `empty`, `too-long` (with `max`) or `characters`',
    meaning: 'The pet cannot have that name.',
  },
  'feeding/already-done': {
    params: '`petId`, `feedingId`',
    meaning:
      'The named feeding does not run, or none is named and the last one is done. A card at the due time is late: not spent.',
  },
  'feeding/too-long': {
    params: '`dueAt`, `latestAt`',
    meaning: 'The due time would be beyond `latestAt`, the end of the clock in the year 2109. Nothing is taken.',
  },
  'card/would-waste': {
    params: '`wastedMs`, `maxWastedMs`',
    meaning: 'More work would be lost than the command allows. The card is not spent.',
  },
  'card/partly-used': {
    params: '`petId`, `autoFeeds`',
    meaning:
      'The only armed repeat card is partly used and cannot come back; its other `autoFeeds` feedings stay armed.',
  },
  'boost/other-rate': { params: '`rate`, `endsAt`', meaning: 'A boost of another rate runs. The card is not spent.' },
  'boost/too-long': {
    params: '`endsAt`, `maxMs`',
    meaning:
      'The boost would end at `endsAt`, later than `limits.boostMs` of the rules allows. The cards are not spent.',
  },
  'item/unknown': {
    params: '`item`',
    meaning: 'The rules have no such food or card, or no module or option declares the item.',
  },
  'item/out-of-stock': {
    params: '`item`, `have`, `need` (of armed cards `petId` instead of `item`)',
    meaning: 'The player has too few.',
  },
  'item/too-many': {
    params: '`item`, `have`, `more`',
    meaning: 'The player would have more of the item than 2^53 - 1. Nothing was given.',
  },
  'inventory/refused': {
    params: '',
    meaning: 'The game’s own inventory failed: a fault of the server. Nothing was done; a repetition will fail too.',
  },
  'module/fault': {
    params: '`module`, `thing`',
    meaning:
      'A rule of the module failed on the thing. If settling failed, the home stands still until the rule is mended; nothing is lost.',
  },
  'sync/ahead': {
    params: '`epoch`, `seq`',
    meaning:
      'The client’s `afterSeq` is beyond the log, or its `epoch` is another one: forget the home and start anew. No `epoch`: the player was erased; the next epoch is new.',
  },
  'player/frozen': { params: '`frozenAt`', meaning: 'An operator froze this player.' },
  'player/not-frozen': { params: '', meaning: 'The player whom an operator unfreezes is not frozen.' },
  'rate/limited': { params: '`retryAfterMs`', meaning: 'Too many messages. Wait, then send the same command again.' },
  'server/unavailable': {
    params: '`outcome: "unknown"` if the command may have been done',
    meaning:
      'This attempt did nothing, unless the outcome is unknown. Send the same `commandId` again, a little later.',
  },
};

export const routes: readonly (readonly [route: string, who: string, what: string])[] = [
  ['GET /', 'everybody', 'the page'],
  [
    'GET /rules.json',
    'everybody',
    'the pets’ rules in force: `{ species, foods, cards, levels, limits }` as in a rules file; with an ETag, for any origin',
  ],
  [
    'GET /works.json',
    'everybody',
    'the rules in force of the works, by module: `{ town: { things, slots, activities, cards, ... } }` as in a rules file, durations in ms. `opensAt` has the next opening of everything that is closed now. `?module=town` returns one module; without works `{}`. Rules that this server cannot read are left out. With an ETag, for any origin',
  ],
  [
    'POST /auth/anonymous',
    'everybody',
    'a guest: `{ user: { anonymous: true }, token }`; the body is ignored. 403 `auth/no-guests`',
  ],
  ['POST /matchmake/joinOrCreate/home', 'a token', "Colyseus' own; called by the SDK's `joinOrCreate`"],
  ['POST /matchmake/reconnect/:roomId', 'a reconnection token', "Colyseus' own"],
  ['GET /livez', 'everybody', '200 while the event loop turns'],
  [
    'GET /readyz',
    'everybody',
    '200 `{ ready: true, degraded: [] }`, with `"redis"` while Redis is away and `"clock"` while time is held because Postgres’ clock jumped; 503 `{ ready: false }` while the process stops, can accept no command, or lacks the right to run. While it starts, its port is closed',
  ],
  ['GET /metrics', 'operators', 'metrics for Prometheus; 401 without an operator’s bearer token'],
];

export const closeCodes: readonly (readonly [code: string, meaning: string, then: string])[] = [
  ['1000, 4000', 'the client left', ''],
  ['1001, 1005, 1006', 'the connection broke', 'the SDK tries to reconnect for a minute; then ask with `home:sync`'],
  ['4001', 'the server stops, or the player was erased', 'join again; if a server stops, another one serves'],
  [
    '4002',
    'closed by the server: more than 150 frames a second on one connection; in a room of your own more than 500, an unreadable frame, or a plain message without a handler',
    'a fault of the client program',
  ],
  [
    '4003',
    'the reconnection came too late, other devices took its place (`devices/limit`), or its token has ended meanwhile (`auth/expired`, `auth/refused`)',
    'join again, with a new token if the join is refused',
  ],
  ['4010', 'the server restarts with Colyseus’ `devMode`, or the browser went offline', 'join again'],
  ['4401', 'the token of the join has expired, or was revoked', 'join again with a new one'],
];

export const joinErrors: readonly (readonly [message: string, meaning: string])[] = [
  ['auth/missing', 'the join had no token'],
  ['auth/expired', 'the token has expired: sign in again'],
  [
    'auth/refused',
    "the token's issuer is not accepted here, or the token was revoked, or the home is another player's",
  ],
  [
    'server/unavailable',
    'the server cannot reach Postgres or the keys of the issuer, or the process is full: try again',
  ],
  [
    'inventory/refused',
    'the game’s own inventory failed on the home: a fault of the server; another join will fail too',
  ],
  ['rate/limited', 'too many joins of this player, or too many requests of this address: try again later'],
  ['devices/limit', 'the player has too many connections to this process'],
  ['origin/refused', 'the page’s origin is neither the server’s own nor in ALLOWED_ORIGINS'],
];
