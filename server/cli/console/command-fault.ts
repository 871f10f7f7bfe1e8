/** A command ends with a message and an exit code: 1 found or failed, 2 used wrongly. */
export class CommandFault extends Error {
  readonly exitCode: 1 | 2;
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(message: string, exitCode: 1 | 2, code = exitCode === 2 ? 'usage' : 'failed', params: object = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.params = { ...params };
  }
}

export const usageFault = (message: string): CommandFault => new CommandFault(message, 2);
