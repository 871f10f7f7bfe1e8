/**
 * Replaces the part of Colyseus' SDK that sends inputs of a simulation: only rooms with `defineInput` have it, and no
 * home does. With it the page would be 4 kB larger.
 */
export class RoomInput {
  constructor() {
    throw new Error('this page is built without inputs');
  }
}
