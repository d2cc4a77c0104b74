import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After so many bytes, it is worth a millisecond to free them. */
const worthBytes = 4 * 1_048_576;

export interface Collector {
  /** So many bytes came in pieces, which nobody needs any more. */
  readonly passed: (bytes: number) => void;
}

/**
 * V8 knows its own objects well, but not what the bytes behind them cost: it leaves 64 MB and more of them to lie about
 * until it collects. That would be as much again as all uploads may hold. So uploads say here how much of them came, and
 * the pieces are collected in time.
 */
export function createCollector(): Collector {
  let collect: NodeJS.GCFunction | undefined;
  let passedBytes = 0;
  return {
    passed: (bytes) => {
      passedBytes += bytes;
      if (passedBytes < worthBytes) return;
      passedBytes = 0;
      collect ??= exposed();
      collect({ type: 'minor' });
    },
  };
}

/** Where the process was not started with `--expose-gc`, a new context has it all the same. */
function exposed(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
