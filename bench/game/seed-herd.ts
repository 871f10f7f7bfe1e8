import { Client } from 'pg';
import { SCHEMA } from '../harness/stores.ts';

const WORK_MS = 4 * 3_600_000;

export interface Herd {
  /** The prefix of the players' names; a number from 0 follows. */
  readonly name: string;
  readonly count: number;
  readonly dueAtMs: number;
  /** The distance between the due times of two players. */
  readonly everyMs: number;
}

export const herdPlayer = ({ name }: Pick<Herd, 'name'>, number: number): string => `${name}-${number}`;

/**
 * Players with a pet that eats, one auto-feed card on it, and food for the next meal: a completion gives xp, takes food
 * and starts another feeding. The rows are as commands would have left them, with the log.
 */
export const seedHerd = async (connectionString: string, { name, count, dueAtMs, everyMs }: Herd): Promise<void> => {
  const at = (table: string): string => `"${SCHEMA}".${table}`;
  const player = `'${name}-' || n`;
  const due = `(${dueAtMs} + n * ${everyMs})::bigint`;
  const since = `(${due} - ${WORK_MS})`;
  const from = `from generate_series(0, ${count - 1}) as n`;
  await alone(
    connectionString,
    `
    insert into ${at('home')} (player_id, seq, last_at, tx, opened, items)
      select ${player}, 4, ${since}, 0, '{pets}', '{"dog-food": 9, "speed-up": 9}' ${from};
    insert into ${at('thing')} (player_id, module, thing_id, version, state, title, due_at, due_since)
      select ${player}, 'pets', ${player} || '~p2', 1, jsonb_build_object(
          'petId', ${player} || '~p2', 'name', 'Rex', 'species', 'dog', 'xp', 0,
          'armed', '[{"card":"auto-feed","times":1,"left":1}]'::jsonb,
          'feeding', jsonb_build_object('feedingId', ${player} || '~f3', 'food', 'dog-food', 'by', 'hand',
            'workMs', ${WORK_MS}, 'xp', 10, 'hasCards', true, 'startedAtMs', ${since},
            'work', jsonb_build_object('leftMs', ${WORK_MS}, 'sinceAtMs', ${since}))),
        'Rex', ${due}, ${since} ${from};
    insert into ${at('event')} (player_id, seq, at, read_at, type, body, command_id, command_hash, answer_seq, tx)
      select ${player}, e.seq, ${since}, ${since}, e.type, e.body::jsonb, e.command, left(e.command, 1),
        case when e.command is not null then e.seq end, 0 ${from} cross join (values
        (1, 'items-granted', '{"items":{"dog-food":10,"speed-up":9,"auto-feed":1},"reason":"starter"}', null),
        (2, 'pet-adopted', '{"petId":"p2","name":"Rex","species":"dog"}', 'adopt-it'),
        (3, 'feeding-started', '{"petId":"p2","feedingId":"f3","food":"dog-food","by":"hand","items":{"dog-food":-1}}', 'feed-it!'),
        (4, 'card-used', '{"petId":"p2","feedingId":"f3","card":"auto-feed","items":{"auto-feed":-1}}', 'chain-it')
        ) as e(seq, type, body, command)`,
  );
};

/** Gives seeded players another due time. */
export const moveHerd = async (connectionString: string, { name, everyMs }: Herd, dueAtMs: number): Promise<void> => {
  const due = `(${dueAtMs} + split_part(player_id, '-', 2)::bigint * ${everyMs})`;
  const herd = `player_id like '${name}-%'`;
  await alone(
    connectionString,
    `update "${SCHEMA}".thing set due_at = ${due},
       state = jsonb_set(state, '{feeding,work,sinceAtMs}', to_jsonb(${due} - ${WORK_MS})) where ${herd}`,
  );
};

/** In its own session, which the game's time-outs would end. Leaves a table as after a vacuum. */
const alone = async (connectionString: string, statements: string): Promise<void> => {
  const client = new Client({ connectionString });
  await client.connect();
  for (const statement of [statements, 'vacuum analyze', 'checkpoint']) await client.query(statement);
  await client.end();
};
