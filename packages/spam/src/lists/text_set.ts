import { hash, randomBytes } from 'node:crypto';

/** A key of this process: nobody can find collisions, so that no public list or submission can imitate another entry. */
let key: string | undefined;

/** Of 48 bits, which a number represents exactly. Not 0, which marks a free slot. */
function hashOf(text: string): number {
  // Made late: Cloudflare allows no randomness while modules load.
  key ??= randomBytes(16).toString('hex');
  return hash('sha256', key + text, 'buffer').readUIntBE(0, 6) || 1;
}

/** A set of texts for long lists: 11 to 21 bytes each, where a `Set` takes 60 and more. */
export class TextSet {
  /** The hash of each text where it belongs, or behind it. A quarter is free at least. */
  #slots = new Float64Array(16);
  #size = 0;

  add(text: string): void {
    if (this.#size * 4 >= this.#slots.length * 3) {
      const slots = new Float64Array(this.#slots.length * 2);
      for (const one of this.#slots) if (one !== 0) slots[slotOf(slots, one)] = one;
      this.#slots = slots;
    }
    const one = hashOf(text);
    const slot = slotOf(this.#slots, one);
    if (this.#slots[slot] === 0) this.#size += 1;
    this.#slots[slot] = one;
  }

  has(text: string): boolean {
    const one = hashOf(text);
    return this.#slots[slotOf(this.#slots, one)] === one;
  }
}

/** The slot of a hash, or the free one where it belongs. */
function slotOf(slots: Float64Array, one: number): number {
  const last = slots.length - 1;
  let slot = (one >>> 0) & last;
  while (slots[slot] !== 0 && slots[slot] !== one) slot = (slot + 1) & last;
  return slot;
}
