import { writeSync } from 'node:fs';

/**
 * Writes to stderr what it takes at once. `process.stderr` is only asked for because that makes a pipe or a socket
 * non-blocking: its own `write` keeps in memory all that nobody reads. A full disk takes nothing either.
 */
export function writeStderr(bytes: Buffer): number {
  try {
    void process.stderr;
    return writeSync(2, bytes);
  } catch {
    return 0;
  }
}
