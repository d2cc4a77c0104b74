const parts = 256;
/** Slots of a part that is not empty. */
const fewest = 4;

/**
 * Hashes of a long list: 11 to 21 bytes each, where a `Set` of texts takes 60 and more. It grows in 256 parts, each on its
 * own, so that none of them stops the process for longer than a moment.
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

/** Where it stands, or where it would. There is always a free slot. */
function slotOf(slots: Float64Array, hash: number): number {
  const last = slots.length - 1;
  let slot = (hash >>> 0) & last;
  while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & last;
  return slot;
}
