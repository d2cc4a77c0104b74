/** Addresses that get no more mails, as keyed hashes. */

import { createHmac } from 'node:crypto';
import type { CounterStore } from '@form-relay/capacity/counters/store';
import { isMap, parseJson, sameAddress } from '@form-relay/core/kit';
import { failed } from '../failures.ts';

/** For how long: addresses are given to others in time. */
const blockedMs = 365 * 86_400_000;

/** Parts, by how a hash begins, so that none of them grows large; and how many entries each has at most. */
const partsCount = 256;
const mostInPart = 400;

const timeoutMs = 5_000;
const mostTries = 20;

const mostAtOnce = 8;

/** How long the others leave it to the process that tells the owner. The first try of an alert ends before. */
const claimMs = 60_000;

/** The owner is told again of an address that is not on the list, since nothing says that it was corrected. */
const unsureMs = 7 * 86_400_000;

/** `unblocked` makes older reports void. `unsure` blocks nothing: one of several addresses of the owner takes no mail. */
export type Why = 'hard' | 'complaint' | 'unblocked' | 'unsure';

export interface Entry {
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly why: Why;
  readonly code?: string | undefined;
  /** When the owner, whose address it is, may be told of it again, in milliseconds since the epoch. */
  readonly quietUntil?: number | undefined;
}

type Entries = ReadonlyMap<string, Entry>;

const partOf = (hash: string) => `bounces/${hash.slice(0, 2)}`;

/** All methods reject with a `ClientError` if the store fails. */
export class BlockList {
  constructor(
    private readonly store: CounterStore,
    private readonly now: () => number,
  ) {}

  /** Why and since when it gets no mails; `undefined` if it does. */
  async find(hash: string, mostMs = timeoutMs): Promise<Entry | undefined> {
    const entry = this.#current(await this.#read(partOf(hash), mostMs)).get(hash);
    return isBlocking(entry) ? entry : undefined;
  }

  async block(wanted: ReadonlyMap<string, Entry>): Promise<ReadonlySet<string>> {
    const added = new Set<string>();
    const parts = byPart(wanted);
    const work = async () => {
      for (let next = parts.pop(); next; next = parts.pop()) {
        const [part, some] = next;
        const changed = await this.#change(part, [...some.keys()], (hash, before) => {
          const entry = some.get(hash);
          return entry && isNews(entry, before) ? entry : undefined;
        });
        for (const hash of changed) added.add(hash);
      }
    };
    await Promise.all(Array.from({ length: mostAtOnce }, work));
    return added;
  }

  unblock(hash: string): Promise<boolean> {
    return this.#changeOne(hash, (before) =>
      isBlocking(before) ? { at: this.now(), why: 'unblocked' } : undefined,
    );
  }

  /** Resolves with whether the caller is to tell the owner, and to `conclude`. `isUnsure`: the hash stands for several addresses. */
  claim(hash: string, isUnsure: boolean): Promise<boolean> {
    return this.#changeOne(hash, (before) => {
      const now = this.now();
      if ((before?.quietUntil ?? 0) > now) return undefined;
      const entry = isUnsure ? { at: now, why: 'unsure' as const } : before;
      return isBlocking(entry) || isUnsure ? entry && { ...entry, quietUntil: now + claimMs } : undefined;
    });
  }

  /** Ends a claim. @param isTold Otherwise the next report is told of. */
  async conclude(hash: string, isTold: boolean): Promise<void> {
    await this.#changeOne(hash, (before) => {
      if (!before) return undefined;
      const untilMs = before.why === 'unsure' ? unsureMs : blockedMs;
      return { ...before, quietUntil: isTold ? this.now() + untilMs : undefined };
    });
  }

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

  async #changeOne(hash: string, next: (before: Entry | undefined) => Entry | undefined): Promise<boolean> {
    const changed = await this.#change(partOf(hash), [hash], (_, before) => next(before));
    return changed.length > 0;
  }

  async #change(
    part: string,
    hashes: readonly string[],
    next: (hash: string, before: Entry | undefined) => Entry | undefined,
  ): Promise<readonly string[]> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const read = await this.store.read(part, timeoutMs);
      const entries = this.#current(parse(read.text));
      const changed = hashes.flatMap((hash) => {
        const entry = next(hash, entries.get(hash));
        return entry ? [[hash, entry] as const] : [];
      });
      if (changed.length === 0) return [];
      const text = write(new Map([...entries, ...changed]));
      if (await this.store.write(part, text, read, timeoutMs)) return changed.map(([hash]) => hash);
    }
    throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
  }
}

const isBlocking = (entry: Entry | undefined) => entry?.why === 'hard' || entry?.why === 'complaint';

/** An older report has no effect once its owner has unblocked the address. */
const isNews = (entry: Entry, before: Entry | undefined) =>
  !isBlocking(before) && !(before && before.at >= entry.at);

function byPart(entries: Entries): [part: string, entries: Entries][] {
  const parts = new Map<string, Map<string, Entry>>();
  for (const [hash, entry] of entries) {
    const part = partOf(hash);
    parts.set(part, (parts.get(part) ?? new Map<string, Entry>()).set(hash, entry));
  }
  return [...parts];
}

/** The oldest go first. Versions that know less of an entry skip the rest of it. */
function write(entries: Entries): string {
  const kept = [...entries].toSorted(([, one], [, other]) => one.at - other.at).slice(-mostInPart);
  const rows = kept.map(([hash, { at, why, code, quietUntil }]) => {
    const row = [Math.floor(at / 1_000), why, ...(code || quietUntil ? [code ?? ''] : [])];
    return [hash, quietUntil ? [...row, Math.ceil(quietUntil / 1_000)] : row];
  });
  return JSON.stringify(Object.fromEntries(rows));
}

const whys: readonly unknown[] = ['hard', 'complaint', 'unblocked', 'unsure'];
const isHash = (key: string) => key.length === hashLength && /^[0-9a-f]+$/.test(key);

/** Leaves out what is no entry: a damaged list must not hold up mails. */
function parse(text: string | undefined): Entries {
  const read = parseJson(text ?? '{}');
  const entries = new Map<string, Entry>();
  for (const [hash, entry] of Object.entries(isMap(read) ? read : {})) {
    const [at, why, code, quiet] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (!isHash(hash) || typeof at !== 'number' || !whys.includes(why)) continue;
    entries.set(hash, {
      at: at * 1_000,
      why: why as Why,
      ...(typeof code === 'string' && code !== '' && { code }),
      ...(typeof quiet === 'number' && { quietUntil: quiet * 1_000 }),
    });
  }
  return entries;
}

/** 80 bits, in hexadecimal. */
const hashLength = 20;

/** A key of their own, so that nothing that the secret signs elsewhere says anything about them. */
const keyOf = (secret: string): Buffer =>
  createHmac('sha256', secret).update('form-relay bounces addresses').digest();

/** Only whoever has the secret can try addresses. */
export const hashOf = (secret: string, address: string): string =>
  createHmac('sha256', keyOf(secret)).update(sameAddress(address)).digest('hex').slice(0, hashLength);
