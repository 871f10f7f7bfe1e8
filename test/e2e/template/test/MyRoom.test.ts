import assert from 'node:assert';
import { boot, type ColyseusTestServer } from '@colyseus/testing';
import app from '../src/app.config.js';
import type { MyRoomState } from '../src/rooms/schema/MyRoomState.js';

describe('my room', () => {
  let colyseus: ColyseusTestServer<typeof app>;

  before(async () => {
    colyseus = await boot(app);
  });
  after(() => colyseus.shutdown());

  beforeEach(async () => await colyseus.cleanup());

  it('shows the weather', async () => {
    const room = await colyseus.createRoom<MyRoomState>('my_room', {});
    const client = await colyseus.connectTo(room);

    assert.strictEqual(client.sessionId, room.clients[0].sessionId);
    assert.deepStrictEqual(client.state.toJSON(), { weather: 'sunny' });
  });
});
