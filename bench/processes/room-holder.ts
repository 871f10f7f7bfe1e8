// Joins the players whose tokens its parent sends, says when all are in, and keeps them there until it is let go.
import { once } from 'node:events';
import { joinAll, joinHome } from '../game/rooms.ts';

const [tokens] = (await once(process, 'message')) as [readonly string[]];
await joinAll(tokens, (token) => joinHome(process.argv[2] ?? '', token));
process.send?.('in');
await once(process, 'disconnect');
process.exit(0);
