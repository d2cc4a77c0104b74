/** Takes bytes and says how many it took: fewer than all, or none, while nobody reads them. Never throws, never waits. */
export type Write = (bytes: Buffer) => number;

/** Lines are written together, since a write costs more than a line: after this long, or from this size on. */
const lingerMs = 20;
const enoughCharacters = 8_192;

/** How much is kept for a reader that does not read. */
const mostCharacters = 1_048_576;
/** How often it is tried again, and how often before the process ends: for a second in all. */
const retryMs = 100;
const lastTries = 10;

export interface LineWriter {
  /** Keeps a line, or several, to write them soon, or loses them. */
  readonly add: (line: string) => void;
  /** Writes what can be written at once. `true` when nothing is left. */
  readonly flush: () => boolean;
  /** Writes what is left, and waits for a reader a second at most. */
  readonly close: () => Promise<void>;
  /** How many lines were lost until now. */
  readonly lost: () => number;
}

/**
 * Writes lines in a bounded piece of memory, and keeps no process alive for a reader that does not read (D60). While
 * too much is waiting, lines are lost; once all that waited is written, `tellLost` makes the line that says how many.
 */
export function createLineWriter(write: Write, tellLost: (lines: number) => string): LineWriter {
  let lines = '';
  /** Of what was written last, what was not taken. */
  let rest = Buffer.alloc(0);
  /** Since that was last told, and before. */
  let lost = 0;
  let lostBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    for (;;) {
      if (rest.length === 0) {
        if (lines === '' && lost > 0) {
          lines = tellLost(lost);
          lostBefore += lost;
          lost = 0;
        }
        if (lines === '') return true;
        rest = Buffer.from(lines);
        lines = '';
      }
      const taken = write(rest);
      rest = rest.subarray(taken);
      if (taken === 0) {
        timer = setTimeout(flush, retryMs).unref();
        return false;
      }
    }
  };

  const add = (line: string) => {
    const isWaiting = rest.length > 0;
    if (lost > 0 || (isWaiting && rest.length + lines.length + line.length > mostCharacters)) {
      lost += line.split('\n').length - 1;
      return;
    }
    lines += line;
    if (isWaiting) return;
    if (lines.length > enoughCharacters) flush();
    else timer ??= setTimeout(flush, lingerMs);
  };

  const close = async () => {
    for (let tries = 0; !flush() && tries < lastTries; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };
  return { add, flush, close, lost: () => lostBefore + lost };
}
