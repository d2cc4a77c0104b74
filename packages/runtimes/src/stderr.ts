import { constants, openSync, writeSync } from 'node:fs';
import type { LogTarget } from '@form-relay/core/log';
import type { Settings } from '@form-relay/core/settings';
import { prettyFormat } from './pretty_format.ts';

let stderr: number | undefined;

/** For people if stderr is a terminal, in colour if it has any, unless LOG_FORMAT says otherwise; else JSON. */
export const stderrTarget = ({ logFormat }: Settings): LogTarget => ({
  write: writeStderr,
  format: () => {
    // Reading `process.stderr` makes a pipe or a socket non-blocking; its own `write` would buffer everything in memory.
    const { isTTY = false } = process.stderr;
    const isPretty = logFormat === undefined ? isTTY : logFormat === 'pretty';
    return isPretty ? prettyFormat(isTTY && process.stderr.hasColors()) : undefined;
  },
});

function writeStderr(bytes: Buffer): number {
  try {
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
