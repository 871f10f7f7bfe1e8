/**
 * In place of the part of Colyseus' SDK that sends inputs of a simulation, tick by tick: a room has it only where it calls
 * `defineInput`, and no home does. With it the page would be 4 kB larger.
 */
export class RoomInput {
  constructor() {
    throw new Error('this page is built without inputs');
  }
}
