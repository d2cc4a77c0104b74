import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After so many bytes of one kind, it is worth a few milliseconds to free them. */
const worthBytes = 8 * 1_048_576;

export interface Collector {
  /** So many bytes came in pieces, which nobody needs any more. */
  readonly passed: (bytes: number) => void;
  /** So many bytes that were held for a while are no longer needed. */
  readonly dropped: (bytes: number) => void;
}

/**
 * V8 knows its own objects well, but not what the bytes behind them cost: it leaves 64 MB and more of them to lie about
 * until it collects. That would be as much again as all uploads may hold. So those who let go of large pieces say so
 * here, and they are collected in time: 1 ms for what just came, some 10 ms for what was held.
 */
export function createCollector(): Collector {
  let collect: NodeJS.GCFunction | undefined;
  let passedBytes = 0;
  let droppedBytes = 0;
  let isDue = false;
  const run = (isMajor: boolean) => {
    collect ??= exposed();
    // V8 11, of Node 20, takes any argument that it does not know for a wish to collect what is young.
    if (isMajor) collect();
    else collect({ type: 'minor' });
  };
  return {
    passed: (bytes) => {
      passedBytes += bytes;
      if (passedBytes < worthBytes) return;
      passedBytes = 0;
      run(false);
    },
    dropped: (bytes) => {
      droppedBytes += bytes;
      if (droppedBytes < worthBytes || isDue) return;
      isDue = true;
      // Whoever says so still has them in its hands.
      setImmediate(() => {
        isDue = false;
        droppedBytes = 0;
        passedBytes = 0;
        run(true);
      });
    },
  };
}

/** Where the process was not started with `--expose-gc`, a new context has it all the same. */
function exposed(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
