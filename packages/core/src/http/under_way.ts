/** Counts requests until they are answered, and the work that follows answers. */
export class UnderWay {
  requests = 0;
  #following = 0;
  #whenIdle: (() => void)[] = [];
  readonly #fail: (error: unknown) => void;

  constructor(fail: (error: unknown) => void) {
    this.#fail = fail;
  }

  end(): void {
    this.requests -= 1;
    this.#wake();
  }

  /** Runs work after an answer. */
  follow(work: () => Promise<void>): void {
    this.#following += 1;
    void work()
      .catch(this.#fail)
      .then(() => {
        this.#following -= 1;
        this.#wake();
      });
  }

  async idle(): Promise<void> {
    if (this.requests + this.#following > 0)
      await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #wake(): void {
    if (this.requests + this.#following > 0) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }
}
