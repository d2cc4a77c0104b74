/**
 * Bytes that are too many to be put together: they are made a piece at a time, while the network takes them, and made
 * again, the same, whenever they are asked for again.
 *
 * The next piece may be written over the one before it: a piece has to be sent or copied before the next is asked for.
 */
export interface Streamed {
  readonly byteLength: number;
  pieces(): Iterable<Uint8Array>;
}
