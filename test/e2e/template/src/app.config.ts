import { createEndpoint, createRouter, defineRoom, defineServer } from 'colyseus';
import { MyRoom } from './rooms/MyRoom.js';

const server = defineServer({
  rooms: {
    my_room: defineRoom(MyRoom),
  },

  routes: createRouter({
    api_hello: createEndpoint('/api/hello', { method: 'GET' }, async () => ({ message: 'hello' })),
  }),

  express: (app) => {
    app.get('/hi', (_request, response) => {
      response.send('hi');
    });
  },
});

export default server;
