import { Schema, type } from '@colyseus/schema';

export class MyRoomState extends Schema {
  @type('string') weather: string = 'sunny';
}
