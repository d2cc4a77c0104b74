/** What SQS takes in one request: ten, and so many bytes together, whatever the queue. */
const mostItems = 10;
const mostBytes = 262_144;

/** How many requests may be under way, when many ask. */
const mostAtOnce = 8;

interface Waiting<T> {
  readonly item: T;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends what is asked for at the same time in one request: while one is under way, the next gathers, until it is full. An
 * item that is too large for company goes alone.
 *
 * @param send Says of each what became of it: `undefined` where all is well. Rejects where that is the same for all.
 */
export function inBatches<T>(
  send: (items: readonly T[]) => Promise<readonly (Error | undefined)[]>,
  bytesOf: (item: T) => number = () => 0,
): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = [];
  let underWay = 0;

  /** As many as go together, from the first. */
  const nextBatch = (): readonly Waiting<T>[] => {
    let bytes = 0;
    const end = waiting.slice(0, mostItems).findIndex((one, at) => {
      bytes += one.bytes;
      return at > 0 && bytes > mostBytes;
    });
    return waiting.splice(0, end < 0 ? mostItems : end);
  };
  const sendOne = async (batch: readonly Waiting<T>[]): Promise<void> => {
    try {
      const failures = await send(batch.map(({ item }) => item));
      for (const [at, { resolve, reject }] of batch.entries()) {
        const failure = failures[at];
        if (failure) reject(failure);
        else resolve();
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const work = async (): Promise<void> => {
    underWay += 1;
    // Who asks in the same breath comes along.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await sendOne(nextBatch());
    underWay -= 1;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, bytes: bytesOf(item), resolve, reject });
      if (underWay === 0 || (waiting.length >= mostItems && underWay < mostAtOnce)) void work();
    });
}
