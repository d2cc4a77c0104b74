const mostLatest = 20;
const mostKnown = 20_000;

/** Files and places that could not be read, each reported once. */
export class Troubles {
  readonly latest: string[] = [];
  count = 0;
  readonly #known = new Set<string>();

  add(place: string, what: string): void {
    const words = `${place}: ${what}`;
    if (this.#known.has(words)) return;
    if (this.#known.size < mostKnown) this.#known.add(words);
    this.count += 1;
    this.latest.unshift(words);
    this.latest.length = Math.min(this.latest.length, mostLatest);
  }
}
