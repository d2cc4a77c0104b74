/** A command that did what it could: its message is for stderr, and the exit code is 1 (D23). */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}
