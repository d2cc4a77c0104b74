/** A map that keeps its latest entries, so that it cannot grow for ever. */
export class LatestMap<V> extends Map<string, V> {
  constructor(private readonly most: number) {
    super();
  }

  override set(key: string, value: V): this {
    // A key that is set again becomes the latest; the first is the one to drop.
    this.delete(key);
    const [oldest] = this.size >= this.most ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}
