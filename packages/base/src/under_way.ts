/** The work that began under one config. */
export class Span {
  count = 0;
  onEnd = () => {};
}

/**
 * Counts requests until they are answered, the work that continues after the response, and other work with
 * forms. A config's resources are closed when all work that began before the next config has ended.
 */
export class UnderWay {
  requests = 0;
  /** Oldest first; the last span belongs to the current config. */
  readonly #spans: Span[] = [new Span()];
  #whenIdle: (() => void)[] = [];
  readonly #fail: (error: unknown) => void;

  constructor(fail: (error: unknown) => void) {
    this.#fail = fail;
  }

  begin(): Span {
    this.requests += 1;
    const span = this.#spans.at(-1) as Span;
    span.count += 1;
    return span;
  }

  end(span: Span): void {
    this.requests -= 1;
    this.#leave(span);
  }

  /** Runs work after the response to a request of this span. */
  follow(work: () => Promise<void>, span?: Span): void {
    void this.hold(work, span).catch(this.#fail);
  }

  /** Runs work that uses forms. */
  async hold<T>(work: () => Promise<T>, span = this.#spans.at(-1) as Span): Promise<T> {
    span.count += 1;
    try {
      return await work();
    } finally {
      this.#leave(span);
    }
  }

  /** Switches to the next config. Resolves when all earlier work has ended. */
  next(): Promise<void> {
    const last = this.#spans.at(-1) as Span;
    this.#spans.push(new Span());
    return new Promise((resolve) => {
      last.onEnd = resolve;
      this.#wake();
    });
  }

  async idle(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  get #isBusy(): boolean {
    return this.#spans.some(({ count }) => count > 0);
  }

  #leave(span: Span): void {
    span.count -= 1;
    if (span.count === 0 && (this.#spans.length > 1 || this.#whenIdle.length > 0)) this.#wake();
  }

  #wake(): void {
    while (this.#spans.length > 1 && this.#spans[0]?.count === 0) this.#spans.shift()?.onEnd();
    if (this.#whenIdle.length === 0 || this.#isBusy) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }
}
