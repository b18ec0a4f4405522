/**
 * What ends a command: a line on stderr that says what to do, or a line for each thing that is wrong, and a non-zero exit
 * code. Never a stack trace.
 */
export class Failure extends Error {
  readonly lines: readonly string[];

  constructor(
    message: string | readonly string[],
    /** 1: it did not work; 2: the command was not understood. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    const lines = [message].flat();
    super(lines.join('\n'));
    this.name = 'Failure';
    this.lines = lines;
  }
}
