import { constants, openSync, writeSync } from 'node:fs';
import type { Settings } from '../schema/settings/settings.ts';
import { jsonFormat, type LineFormat } from './log.ts';
import { prettyFormat } from './pretty_format.ts';

let stderr: number | undefined;

/**
 * For people where stderr is a terminal, unless LOG_FORMAT says otherwise; in colour where that can show it.
 *
 * @param about What each line says beside its event.
 */
export function stderrFormat({ logFormat }: Pick<Settings, 'logFormat'>, about?: object): LineFormat {
  const { isTTY = false } = process.stderr;
  const isPretty = logFormat === undefined ? isTTY : logFormat === 'pretty';
  if (!isPretty) return jsonFormat(about);
  const pretty = prettyFormat(isTTY && process.stderr.hasColors());
  return (at, level, event, fields) => pretty(at, level, event, { ...about, ...fields });
}

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
