/** What ends a command: one line on stderr that says what to do, and a non-zero exit code. Never a stack trace. */
export class Failure extends Error {
  constructor(
    message: string,
    /** 1: it did not work; 2: the command was not understood. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
    this.name = 'Failure';
  }
}
