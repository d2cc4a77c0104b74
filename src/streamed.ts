/**
 * Bytes that are too many to be put together: they are made a piece at a time, while the network takes them, and made
 * again, the same, whenever they are asked for again.
 */
export interface Streamed {
  readonly byteLength: number;
  pieces(): Iterable<Uint8Array>;
}

/** The pieces, and between them whatever else the process has to do. */
export async function* inTurns({ pieces }: Streamed): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for (const piece of pieces()) {
    if (!isFirst) await new Promise<void>((resolve) => setImmediate(resolve));
    isFirst = false;
    yield piece;
  }
}
