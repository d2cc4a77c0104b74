/** Addresses that get no more mails, as keyed hashes (D202). */
import { failed } from '../../base/client_error.ts';
import type { CountStore } from '../../base/counts.ts';
import { isMap } from '../../schema/kinds.ts';
import { hashLength } from './addresses.ts';

/** For how long: addresses are given to others in time. */
const blockedMs = 365 * 86_400_000;

/** Parts, by how a hash begins, so that none of them grows large; and how many entries each has at most. */
const partsCount = 256;
const mostInPart = 400;

const timeoutMs = 5_000;
const mostTries = 20;

/** `unblocked`: by its owner, so that an older report has no effect. */
export type Why = 'hard' | 'complaint' | 'unblocked';

export interface Entry {
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly why: Why;
  readonly code?: string | undefined;
}

type Entries = ReadonlyMap<string, Entry>;

const partOf = (hash: string) => `bounces/${hash.slice(0, 2)}`;

/** All methods reject with a `ClientError` if the store fails. */
export class BlockList {
  constructor(
    private readonly store: CountStore,
    private readonly now: () => number,
  ) {}

  /** Why and since when it gets no mails; `undefined` if it does. */
  async find(hash: string, mostMs = timeoutMs): Promise<Entry | undefined> {
    const entry = this.#current(await this.#read(partOf(hash), mostMs)).get(hash);
    return isBlocking(entry) ? entry : undefined;
  }

  /** Blocks addresses. Resolves with those that were not blocked before. */
  async block(wanted: ReadonlyMap<string, Entry>): Promise<ReadonlySet<string>> {
    const added = new Set<string>();
    for (const [part, some] of byPart(wanted))
      for (const hash of await this.#change(part, some, isNews)) added.add(hash);
    return added;
  }

  /** Resolves with whether it was blocked. */
  async unblock(hash: string): Promise<boolean> {
    const entries = new Map([[hash, { at: this.now(), why: 'unblocked' }] as const]);
    const changed = await this.#change(partOf(hash), entries, (_, before) => isBlocking(before));
    return changed.length > 0;
  }

  /** Every blocked address, part by part. */
  async *all(): AsyncGenerator<readonly [hash: string, entry: Entry]> {
    for (let index = 0; index < partsCount; index += 1) {
      const part = `bounces/${index.toString(16).padStart(2, '0')}`;
      for (const one of this.#current(await this.#read(part, timeoutMs))) if (isBlocking(one[1])) yield one;
    }
  }

  async #read(part: string, mostMs: number): Promise<Entries> {
    return parse((await this.store.read(part, mostMs)).text);
  }

  #current(entries: Entries): Entries {
    const now = this.now();
    return new Map([...entries].filter(([, { at }]) => now - at < blockedMs));
  }

  /** Resolves with the hashes whose entries were replaced. */
  async #change(
    part: string,
    wanted: Entries,
    isWanted: (entry: Entry, before: Entry | undefined) => boolean,
  ): Promise<readonly string[]> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const read = await this.store.read(part, timeoutMs);
      const entries = this.#current(parse(read.text));
      const changed = [...wanted].filter(([hash, entry]) => isWanted(entry, entries.get(hash)));
      if (changed.length === 0) return [];
      const text = write(new Map([...entries, ...changed]));
      if (await this.store.write(part, text, read, timeoutMs)) return changed.map(([hash]) => hash);
    }
    throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
  }
}

const isBlocking = (entry: Entry | undefined) => entry !== undefined && entry.why !== 'unblocked';

/** An older report has no effect once its owner has unblocked the address. */
const isNews = (entry: Entry, before: Entry | undefined) =>
  !isBlocking(before) && !(before && before.at >= entry.at);

function byPart(entries: Entries): ReadonlyMap<string, Entries> {
  const parts = new Map<string, Map<string, Entry>>();
  for (const [hash, entry] of entries) {
    const part = partOf(hash);
    parts.set(part, (parts.get(part) ?? new Map<string, Entry>()).set(hash, entry));
  }
  return parts;
}

/** The oldest go first. */
function write(entries: Entries): string {
  const kept = [...entries].toSorted(([, one], [, other]) => one.at - other.at).slice(-mostInPart);
  const rows = kept.map(([hash, { at, why, code }]) => [
    hash,
    [Math.floor(at / 1_000), why, ...(code ? [code] : [])],
  ]);
  return JSON.stringify(Object.fromEntries(rows));
}

const whys: readonly unknown[] = ['hard', 'complaint', 'unblocked'];
const isHash = (key: string) => key.length === hashLength && /^[0-9a-f]+$/.test(key);

/** Leaves out what is no entry: a damaged list must not hold up mails. */
function parse(text: string | undefined): Entries {
  let read: unknown;
  try {
    read = JSON.parse(text ?? '{}');
  } catch {
    read = undefined;
  }
  const entries = new Map<string, Entry>();
  for (const [hash, entry] of Object.entries(isMap(read) ? read : {})) {
    const [at, why, code] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (!isHash(hash) || typeof at !== 'number' || !whys.includes(why)) continue;
    entries.set(hash, { at: at * 1_000, why: why as Why, ...(typeof code === 'string' && { code }) });
  }
  return entries;
}
