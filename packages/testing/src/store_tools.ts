/** The place and tools that the store checks use. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEntry, keptFormat } from '@form-relay/stores/entry';
import type { Counts, Lease, Leases, Listed, Queued, Store, Versioned } from '@form-relay/stores/store';

/** A place where stores of one kind keep their data. */
export interface TriedPlace {
  /** The stores' clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Advances the clock, or waits. */
  pass(ms: number): Promise<void>;
  /** Moves the clock forward or back, if it can be set. */
  readonly set?: (byMs: number) => void;
  /** Renews the leases of all stores here, as their timers would. */
  readonly renews?: () => Promise<unknown>;
  /** Opens the store as another process would. */
  open(): Promise<Store>;
  /** Starts another process, which can be killed. */
  another(): Promise<OtherProcess>;
  /** Makes the store unavailable until the returned function is called. */
  readonly fail?: () => Promise<() => Promise<void>>;
  /** Keeps an entry like a relay with this format number. */
  readonly keepAs?: (kept: Queued, format: number) => Promise<void>;
  /** Changes a byte in the content of the only waiting entry. */
  readonly damage?: () => Promise<void>;
  remove(): Promise<void>;
}

export interface OtherProcess {
  /** Leases this number of due entries. Resolves with their ids. */
  lease(count: number): Promise<readonly string[]>;
  /** Increases a count this number of times, one after another. */
  count(key: string, times: number): Promise<void>;
  /** Kills the process without notice to the store. */
  kill(): Promise<void>;
}

export interface CheckOptions {
  /** How far times must differ, in milliseconds: more than the store's rounding. Default: a minute. */
  readonly laterMs?: number;
  /** How long a check waits for entries that are due, in milliseconds. Default: a minute. */
  readonly patienceMs?: number;
  /** Whether the owner can neither list nor lease an entry that is not yet due. */
  readonly hidesWaiting?: boolean;
  /** Whether the store cannot count the entries of each form. */
  readonly countsTogether?: boolean;
}

export const countMs = 5_000;

/** Encodes like a relay with this format number. */
export const encodeAs =
  (format: number) =>
  (kept: Queued): Uint8Array => {
    const bytes = Buffer.from(encodeEntry(kept)).toString('latin1');
    return Buffer.from(bytes.replace(keptFormat, keptFormat.replace(/\d+$/, String(format))), 'latin1');
  };

/** Adds one to a count, and retries until that succeeds. */
export async function increase(counts: Counts, key: string): Promise<void> {
  const read: Versioned = await counts.read(key, countMs);
  if (await counts.write(key, String(Number(read.text ?? 0) + 1), read, countMs)) return;
  await sleep(Math.random() * 5);
  return increase(counts, key);
}

let number = 0;

export class Tools {
  store!: Store;
  readonly #opened: Store[] = [];

  constructor(
    readonly place: TriedPlace,
    readonly options: CheckOptions,
  ) {}

  get patienceMs(): number {
    return this.options.patienceMs ?? 60_000;
  }

  async open(): Promise<void> {
    this.store = await this.place.open();
    this.#opened.push(this.store);
  }

  async restart(): Promise<void> {
    await this.store.close();
    await this.open();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opened.map((store) => store.close()));
  }

  get leases(): Leases {
    assert.ok(this.store.leases, 'the store has no leases');
    return this.store.leases;
  }

  get counts(): Counts | undefined {
    return this.store.counts;
  }

  /** Opens the leases of another process. */
  async another(): Promise<Leases> {
    const store = await this.place.open();
    this.#opened.push(store);
    return store.leases as Leases;
  }

  now = () => this.place.now();
  later = () => this.now() + (this.options.laterMs ?? 60_000);

  waitForLater(): Promise<void> {
    return this.place.pass(1.5 * (this.options.laterMs ?? 60_000));
  }

  entry(more: Partial<Queued> = {}): Queued {
    number += 1;
    return {
      id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}-0`,
      form: 'contact',
      output: { place: 0, of: 2, type: 'http_post', fingerprint: '0123456789abcdef' },
      receivedAt: this.now() - 20,
      keptAt: this.now(),
      tries: 1,
      why: { code: 'connection_refused', words: 'connection refused' },
      content: Buffer.from(`content ${number} \0\r\n\x80\xff`, 'latin1'),
      ...more,
    };
  }

  keep(entries: readonly Queued[], dueAt = this.now()) {
    return this.leases.keep(entries, { isMine: false, dueAt, timeoutMs: this.patienceMs });
  }

  /** Asks until this number of entries is leased. */
  async lease(count: number, from = this.leases, mostBytes?: number): Promise<[Lease, ...Lease[]]> {
    const leases: Lease[] = [];
    for (const until = Date.now() + this.patienceMs; leases.length < count && Date.now() < until; )
      leases.push(...(await from.lease(count - leases.length, 500, mostBytes)));
    assert.equal(leases.length, count);
    return leases as [Lease, ...Lease[]];
  }

  async nothingIsDue(from = this.leases): Promise<void> {
    assert.deepEqual(await from.lease(10, 0), []);
    assert.deepEqual(await from.lease(10, 50), []);
  }

  async listed(): Promise<readonly Listed[]> {
    const all: Listed[] = [];
    for await (const one of this.leases.list()) all.push(one);
    return all;
  }

  async nothingIsLeft(): Promise<void> {
    assert.deepEqual(await this.listed(), []);
  }
}
