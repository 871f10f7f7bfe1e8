import { Client } from '@colyseus/sdk';

const [, , port, player, afterSeq] = process.argv;
const client = new Client(`http://localhost:${port}`);
client.auth.token = `ticket-of-${player}`;
const room = await client.joinOrCreate('town', afterSeq ? { afterSeq: Number(afterSeq) } : {});
room.onMessage('home:events', ({ events }) => {
  for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
});
let commands = 0;
const ask = (type, payload) => room.request(type, { commandId: `${player}-command-${++commands}`, ...payload });
if (!afterSeq) {
  const { petId } = await ask('home:adopt', { name: 'Rex', species: 'dog' });
  process.stdout.write(`${JSON.stringify(await ask('home:feed', { petId, food: 'dog-food' }))}\n`);
}
