/** Why an embedded server does not start. Its message is one line for a person: what is wrong and what to do about it. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
