interface Limits {
  /** Of a batch. */
  readonly items: number;
  /** Of a batch, whose first item may be larger. */
  readonly bytes: number;
  /** How many batches may be under way. */
  readonly atOnce: number;
  /** How many items must wait until another batch begins beside one under way. */
  readonly beside: number;
}

/** Gets a function that cancels an item, unless its batch has begun by then. */
export type Cancellable = (cancel: (error: unknown) => void) => void;

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: Promise<R>) => void;
}

/** Group commit: handles items that come at the same time together, since most of their time is waiting. */
export class Batches<T, R> {
  readonly #waiting = new Set<Waiting<T, R>>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isScheduled = false;

  /** @param handle Gives a promise for each item, in the same order. */
  constructor(
    private readonly limits: Limits,
    private readonly handle: (items: readonly T[]) => readonly Promise<R>[],
    private readonly bytesOf: (item: T) => number = () => 0,
  ) {}

  add(item: T, late?: Cancellable): Promise<R> {
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve };
      this.#waiting.add(waiting);
      late?.((error) => this.#waiting.delete(waiting) && reject(error));
      this.#schedule();
    });
  }

  /** Waits for all items, begun or not. */
  async close(): Promise<void> {
    while (this.#waiting.size + this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
      await new Promise(setImmediate);
    }
  }

  /** Begins in the next turn of the event loop, with all that comes until then. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#mayBegin()) {
        const batch = this.#begin(this.#gather()).finally(() => {
          this.#underWay.delete(batch);
          if (this.#waiting.size > 0) this.#schedule();
        });
        this.#underWay.add(batch);
      }
    });
  }

  #mayBegin(): boolean {
    const { atOnce, beside } = this.limits;
    const others = this.#underWay.size;
    return this.#waiting.size >= (others === 0 ? 1 : beside) && others < atOnce;
  }

  #gather(): readonly Waiting<T, R>[] {
    const batch: Waiting<T, R>[] = [];
    let bytes = 0;
    for (const one of this.#waiting) {
      bytes += this.bytesOf(one.item);
      if (batch.length > 0 && (bytes > this.limits.bytes || batch.length === this.limits.items)) break;
      batch.push(one);
      this.#waiting.delete(one);
    }
    return batch;
  }

  #begin(batch: readonly Waiting<T, R>[]): Promise<unknown> {
    const results = this.handle(batch.map(({ item }) => item));
    for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Promise<R>);
    return Promise.allSettled(results);
  }
}
