/** The facts of all entries that filters need, in memory: 46 bytes for each entry. Rows count from 0 and stay. */
import { states } from '../api.ts';

export const flag = {
  dead: 1,
  doubted: 2,
  read: 4,
  sealed: 8,
  text: 16,
  delivered: 32,
  dropped: 64,
  /** Has lines in the journal. */
  told: 128,
  kept: 256,
} as const;

export const stateNumber = (state: (typeof states)[number]): number => states.indexOf(state);

const kinds = {
  at: Float64Array,
  markedAt: Float64Array,
  outputs: Uint32Array,
  low: Uint32Array,
  high: Uint32Array,
  form: Uint16Array,
  state: Uint8Array,
  flags: Uint16Array,
  mark: Uint8Array,
} as const;
type Name = keyof typeof kinds;
const names = Object.keys(kinds) as Name[];

export class Columns {
  at = new Float64Array(0);
  markedAt = new Float64Array(0);
  outputs = new Uint32Array(0);
  low = new Uint32Array(0);
  high = new Uint32Array(0);
  form = new Uint16Array(0);
  state = new Uint8Array(0);
  flags = new Uint16Array(0);
  mark = new Uint8Array(0);
  count = 0;
  #slots = new Int32Array(0);
  #order: Uint32Array = new Uint32Array(0);
  #isOrdered = true;

  constructor() {
    this.#grow(1_024);
  }

  #grow(size: number): void {
    for (const name of names) {
      const larger = new kinds[name](size);
      larger.set(this[name].subarray(0, Math.min(size, this.count)));
      (this as Record<Name, unknown>)[name] = larger;
    }
    let slots = 2_048;
    while (slots < size * 1.5) slots *= 2;
    this.#slots = new Int32Array(slots).fill(-1);
    for (let row = 0; row < this.count; row += 1) this.#place(row);
  }

  #place(row: number): void {
    const mask = this.#slots.length - 1;
    let at = (this.low[row] as number) & mask;
    while (this.#slots[at] !== -1) at = (at + 1) & mask;
    this.#slots[at] = row;
  }

  /** The row of an id. Two ids may share a hash, so that `isIt` decides. */
  find(id: string, isIt: (row: number) => boolean): number | undefined {
    const [low, high] = hashOf(id);
    const mask = this.#slots.length - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const row = this.#slots[at] as number;
      if (row === -1) return undefined;
      if (this.low[row] === low && this.high[row] === high && isIt(row)) return row;
    }
  }

  add(id: string, form: number, at: number): number {
    const row = this.count;
    if (row === this.at.length) this.#grow(Math.ceil(row * 1.5));
    this.count += 1;
    this.at[row] = at;
    this.form[row] = form;
    this.state[row] = stateNumber('unknown');
    [this.low[row], this.high[row]] = hashOf(id);
    this.#place(row);
    this.#isOrdered = false;
    return row;
  }

  /** All rows, the oldest first, dead ones too. */
  order(): Uint32Array {
    if (this.#isOrdered) return this.#order;
    const known = this.#order.length;
    const added = Array.from({ length: this.count - known }, (_, nth) => known + nth);
    if (known > 0 && added.length < 1_000) this.#order = this.#merge(added);
    else {
      const keys = new BigUint64Array(this.count);
      for (let row = 0; row < this.count; row += 1)
        keys[row] = (BigInt(Math.max(0, this.at[row] as number)) << 23n) | BigInt(row);
      keys.sort();
      this.#order = new Uint32Array(this.count);
      for (let nth = 0; nth < this.count; nth += 1)
        this.#order[nth] = Number((keys[nth] as bigint) & 0x7fffffn);
    }
    this.#isOrdered = true;
    return this.#order;
  }

  #merge(added: number[]): Uint32Array {
    const { at } = this;
    added.sort((a, b) => (at[a] as number) - (at[b] as number) || a - b);
    const merged = new Uint32Array(this.count);
    let [from, to] = [this.#order.length - 1, this.count - 1];
    while (added.length > 0) {
      const row = added[added.length - 1] as number;
      const isLater = from < 0 || (at[this.#order[from] as number] as number) <= (at[row] as number);
      merged[to--] = isLater ? (added.pop() as number) : (this.#order[from--] as number);
    }
    merged.set(this.#order.subarray(0, from + 1));
    return merged;
  }

  /** Forgets the rows' order, after a time of an entry changed. */
  reorder(): void {
    this.#order = new Uint32Array(0);
    this.#isOrdered = false;
  }

  *bytes(): Generator<Uint8Array> {
    for (const name of names) {
      const { buffer, BYTES_PER_ELEMENT } = this[name];
      yield new Uint8Array(buffer, 0, this.count * BYTES_PER_ELEMENT);
    }
    // Sorting a million takes as long as all else at a start.
    const { buffer, byteOffset, byteLength } = this.order();
    yield new Uint8Array(buffer, byteOffset, byteLength);
  }

  /** @param read Fills the bytes with the next ones of what `bytes` gave. */
  load(count: number, read: (into: Uint8Array) => void): void {
    this.count = 0;
    this.#grow(Math.max(1_024, Math.ceil(count * 1.1)));
    this.count = count;
    this.#order = new Uint32Array(count);
    this.#isOrdered = true;
    for (const bytes of this.bytes()) read(bytes);
    for (let row = 0; row < count; row += 1) this.#place(row);
  }
}

/** 64 bits: two multiplications, each its own. */
function hashOf(id: string): readonly [low: number, high: number] {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  low ^= low >>> 16;
  return [Math.imul(low, 0x85ebca6b) >>> 0, high >>> 0];
}
