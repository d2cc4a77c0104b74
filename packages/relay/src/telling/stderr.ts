import { constants, openSync, writeSync } from 'node:fs';
import type { Settings } from '../schema/settings/settings.ts';
import { jsonFormat, type LineFormat } from './log.ts';
import { prettyFormat } from './pretty_format.ts';

let stderr: number | undefined;

/** For people if stderr is a terminal, in colour if it has any, unless LOG_FORMAT says otherwise; else JSON. */
export function stderrFormat({ logFormat }: Pick<Settings, 'logFormat'>): LineFormat {
  const { isTTY = false } = process.stderr;
  const isPretty = logFormat === undefined ? isTTY : logFormat === 'pretty';
  return isPretty ? prettyFormat(isTTY && process.stderr.hasColors()) : jsonFormat();
}

/** Writes to stderr as much as it takes at once: nothing if the disk is full or nobody reads. */
export function writeStderr(bytes: Buffer): number {
  try {
    stderr ??= openStderr();
    return writeSync(stderr, bytes);
  } catch {
    return 0;
  }
}

/**
 * Reading `process.stderr` makes a pipe or a socket non-blocking; its own `write` would buffer everything in memory. A
 * terminal stays blocking, and Ctrl-S would stop the relay, so it is opened anew if possible.
 */
function openStderr(): number {
  if (!process.stderr.isTTY) return 2;
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 2;
  }
}
