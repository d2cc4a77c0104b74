import type { Streamed } from '../base/streamed.ts';

/** The pieces, and between them whatever else the process has to do. */
export async function* inTurns(streamed: Streamed): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for (const piece of streamed.pieces()) {
    if (!isFirst) await new Promise<void>((resolve) => setImmediate(resolve));
    isFirst = false;
    yield piece;
  }
}
