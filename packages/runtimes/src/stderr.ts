import { constants, openSync, writeSync } from 'node:fs';

let stderr: number | undefined;

/** Writes to stderr without `process.stderr`, whose `write` would buffer everything in memory. */
export function writeStderr(bytes: Buffer): number {
  try {
    // Reading `process.stderr` makes a pipe or a socket non-blocking.
    stderr ??= process.stderr.isTTY ? openTerminal() : 2;
    return writeSync(stderr, bytes);
  } catch {
    return 0;
  }
}

/** A terminal stays blocking, and Ctrl-S would stop the relay, so it is opened anew if possible. */
function openTerminal(): number {
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 2;
  }
}
