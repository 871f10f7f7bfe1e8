import { type Client, Room } from 'colyseus';
import { MyRoomState } from './schema/MyRoomState.js';

export class MyRoom extends Room<{ state: MyRoomState }> {
  maxClients = 4;
  state = new MyRoomState();

  messages = {
    rain: (_client: Client, weather: string) => {
      this.state.weather = weather;
    },
  };
}
