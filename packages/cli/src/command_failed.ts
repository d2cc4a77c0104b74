/** Ends a command that was called rightly and failed: the message goes to stderr, and the exit code is 1. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}
