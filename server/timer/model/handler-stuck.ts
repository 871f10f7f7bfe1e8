/**
 * A handler did not come back in time, or let its transaction idle. The code is that of a connection that was lost, so
 * that the store closes the one it had: whatever the handler does later, it does nothing in a transaction of others.
 */
export class HandlerStuck extends Error {
  readonly code = '25P03';

  constructor(what: string) {
    super(what);
    this.name = 'HandlerStuck';
  }
}
