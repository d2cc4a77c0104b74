import type { Kept, Store } from '../../../src/kept.ts';

/** Where a store of one kind keeps, all of its own. Several processes may open it. */
export interface Place {
  /** Its clock. */
  readonly now: () => number;
  /** Lets time pass, or waits for it. */
  pass(ms: number): Promise<void>;
  /** As one more process does. */
  open(): Promise<Store>;
  /**
   * As when the process that opened it is killed, without a word to the store. Resolves when others get what it had
   * claimed.
   */
  readonly crash?: (store: Store) => Promise<void>;
  /** It is away, and comes back when what this gives is called. */
  readonly fail?: () => Promise<() => Promise<void>>;
  /** Changes a byte of the content of the one entry that waits, so that a reader who looks at it must notice. */
  readonly damage?: () => Promise<void>;
  /** After the last test. */
  remove(): Promise<void>;
}

/** One kind of store, as the suite of contracts needs it. */
export interface Subject {
  /** How much later is later: what it may round times to, and more. */
  readonly laterMs: number;
  readonly create: () => Promise<Place>;
  /** Whether this machine has what it needs. Default: yes. */
  readonly isHere?: boolean;
  /** What waits for a later time can neither be listed nor taken before. */
  readonly hidesWaiting?: true;
  /** It cannot tell the forms of what waits apart, or when the oldest was kept. */
  readonly countsTogether?: true;
}

let number = 0;

/** An entry as no other is. */
export function keptOf(now: number, more: Partial<Kept> = {}): Kept {
  number += 1;
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}-0`,
    form: 'contact',
    output: { place: 0, of: 2, type: 'http_post', fingerprint: '0123456789abcdef' },
    receivedAt: now - 20,
    keptAt: now,
    tries: 1,
    why: { code: 'connection_refused', words: 'nobody listens there' },
    content: Buffer.from(`content ${number} \0\r\n\x80\xff`, 'latin1'),
    ...more,
  };
}
