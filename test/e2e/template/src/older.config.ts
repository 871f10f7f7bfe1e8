import config from '@colyseus/tools';
import { defineRoom } from 'colyseus';
import { MyRoom } from './rooms/MyRoom.js';

export default config({
  rooms: {
    my_room: defineRoom(MyRoom),
  },
});
