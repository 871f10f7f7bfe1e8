/**
 * The reason of a call's signal when its outcome does not count any more. `moved`: the timer was cancelled or given
 * another due time meanwhile. `stopping`: the process ends; the timer is called again, with the same key.
 */
export class CallAborted extends Error {
  readonly why: 'moved' | 'stopping';

  constructor(why: 'moved' | 'stopping') {
    super(why === 'moved' ? 'the timer was moved or cancelled during its call' : 'the process is stopping');
    this.name = 'CallAborted';
    this.why = why;
  }
}
