import { type OpsRouteName, opsActs, opsPath } from '../../../shared/ops/acts.ts';
import { type PlayerCommandType, playerPayloads } from '../../../shared/pets/protocol.ts';

/** A player, and what is hers. */
export interface Owned {
  readonly playerId: string;
  readonly petId: string;
  readonly feedingId: string;
  readonly timerId: string;
  readonly roomId: string;
}

export type Message = readonly [type: string, payload: Readonly<Record<string, unknown>>];

/** Keys under which a player could name another one. */
const namesPlayers = ['playerId', 'owner', 'sub', 'home'];

/** Messages that a player with a pet may well send. */
const ownMessages = (petId: string): Readonly<Record<PlayerCommandType, Readonly<Record<string, unknown>>>> => ({
  'home:adopt': { name: 'Rex', species: 'dog' },
  'home:feed': { petId, food: 'dog-food' },
  'home:use-card': { petId, card: 'speed-up' },
  'home:disarm': { petId },
  'home:stop': { petId },
  'home:release': { petId },
});

/** Each command with another's ids in all of its fields that take one, alone and together, and with each key that names a player. */
const foreignCommands = (own: string, other: Owned): readonly Message[] =>
  Object.entries(ownMessages(own)).flatMap(([type, message]): Message[] => {
    const shape = playerPayloads[type as PlayerCommandType].shape;
    const fields = (['petId', 'feedingId'] as const).filter((field) => field in shape);
    const ids = fields.flatMap((field) => [{ [field]: other[field] }]);
    const together = fields.length > 1 ? [Object.assign({}, ...ids)] : [];
    const named = namesPlayers.map((key) => ({ [key]: other.playerId }));
    return [...ids, ...together, ...named].map((foreign): Message => [type, { ...message, ...foreign }]);
  });

/** Every message of the home, with ids of another player wherever one can stand: as commands, and as quotes of them. */
export const foreignMessages = (own: string, other: Owned): Readonly<Record<'commands' | 'questions', Message[]>> => {
  const orders = [...foreignCommands(own, other), ...serverOnly(other)];
  return {
    commands: orders.map(([type, payload], at) => [type, { commandId: `foreign-${at}`, ...payload }]),
    questions: [
      ...orders.map(([command, payload]): Message => ['home:quote', { command, payload }]),
      ...namesPlayers.flatMap((key): Message[] => [
        ['home:sync', { afterSeq: 0, [key]: other.playerId }],
        ['home:time', { [key]: other.playerId }],
      ]),
    ],
  };
};

const serverOnly = ({ playerId }: Owned): readonly Message[] =>
  ['home:grant', 'home:take'].flatMap((type): Message[] => [
    [type, { items: { boost: 1 }, reason: 'please' }],
    [type, { items: { boost: 1 }, reason: 'please', playerId }],
  ]);

export interface Request {
  readonly line: string;
  readonly body: string;
}

/** Every route of the operators, about another player. */
export const foreignRoutes = ({ playerId, timerId, petId, feedingId }: Owned): readonly Request[] =>
  (Object.keys(opsActs) as OpsRouteName[]).map((name) => {
    const path = opsPath(name, { playerId, timerId, jobId: '1', kind: 'feeding', module: 'pets' });
    const body = {
      playerId,
      petId,
      feedingId,
      items: { boost: 1 },
      reason: 'please do it',
      commandId: `foreign-${name}`,
    };
    return { line: `${opsActs[name].method} /ops/${path}`, body: JSON.stringify(body) };
  });

/** Every way into a room, with another's room and id wherever one can stand. */
export const foreignJoins = ({ playerId, roomId }: Owned): readonly Request[] => {
  const options = [...namesPlayers, 'auth', 'sessionId', 'roomId', 'reconnectionToken', '__proto__'].map(
    (key) => `{"${key}":${JSON.stringify(key.endsWith('Id') && key !== 'playerId' ? roomId : playerId)}}`,
  );
  return ['joinById', 'reconnect', 'join', 'create', 'joinOrCreate'].flatMap((method) =>
    ['home', roomId].flatMap((room) => options.map((body) => ({ line: `POST /matchmake/${method}/${room}`, body }))),
  );
};
