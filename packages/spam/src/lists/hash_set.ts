const parts = 256;
/** The initial slots of a part. */
const fewest = 4;

/**
 * A set of hashes for long lists: 11 to 21 bytes each, where a `Set` of strings takes 60 and more. It grows in 256
 * independent parts, so that none of them blocks the process for long.
 */
export class HashSet {
  readonly #parts: (Float64Array | undefined)[] = new Array(parts);
  readonly #sizes = new Uint32Array(parts);

  get size(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  /** @param hash Not 0, which marks a free slot. */
  add(hash: number): void {
    const part = partOf(hash);
    let slots = this.#parts[part];
    const size = this.#sizes[part] ?? 0;
    if (!slots || (size + 1) * 4 > slots.length * 3) {
      const larger = new Float64Array(slots ? slots.length * 2 : fewest);
      for (const one of slots ?? []) if (one !== 0) larger[slotOf(larger, one)] = one;
      this.#parts[part] = larger;
      slots = larger;
    }
    const slot = slotOf(slots, hash);
    if (slots[slot] === hash) return;
    slots[slot] = hash;
    this.#sizes[part] = size + 1;
  }

  has(hash: number): boolean {
    const slots = this.#parts[partOf(hash)];
    return slots !== undefined && slots[slotOf(slots, hash)] === hash;
  }
}

const partOf = (hash: number) => (hash / 2 ** 32) & (parts - 1);

/** The slot of a hash, or the free one where it belongs. There is always a free slot. */
function slotOf(slots: Float64Array, hash: number): number {
  const last = slots.length - 1;
  let slot = (hash >>> 0) & last;
  while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & last;
  return slot;
}
