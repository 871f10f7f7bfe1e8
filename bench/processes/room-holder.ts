// Joins the players of the tokens that its parent sends, reports when all are in, and stays until it is released.
import { once } from 'node:events';
import { joinAll, joinHome } from '../game/rooms.ts';

const [tokens] = (await once(process, 'message')) as [readonly string[]];
await joinAll(tokens, (token) => joinHome(process.argv[2] ?? '', token));
process.send?.('in');
await once(process, 'disconnect');
process.exit(0);
