import { constants, openSync, writeSync } from 'node:fs';

let stderr: number | undefined;

/** Writes to stderr what it takes at once. A full disk takes nothing, and neither does a reader that does not read. */
export function writeStderr(bytes: Buffer): number {
  try {
    stderr ??= openStderr();
    return writeSync(stderr, bytes);
  } catch {
    return 0;
  }
}

/**
 * To ask for `process.stderr` makes a pipe or a socket non-blocking; its own `write` keeps in memory all that nobody
 * reads. A terminal stays blocking, and Ctrl-S in it would stop the relay: so it is opened anew, where that is possible.
 */
function openStderr(): number {
  if (!process.stderr.isTTY) return 2;
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 2;
  }
}
