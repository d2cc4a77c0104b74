/** Counts of limited things, as one text in a store. */
import { createHash } from 'node:crypto';
import { failed } from '@form-relay/stores/failures';

/** The counts stored under one key. */
export interface Tally {
  readonly taken: ReadonlyMap<string, Taken>;
  /** Open reservations, by id. */
  readonly open: ReadonlyMap<string, Open>;
}

export interface Taken {
  readonly count: number;
  /** When a reservation was last settled, in seconds since the epoch. */
  readonly at: number;
  /** Short forms of the remembered ids, concatenated. */
  readonly ids: string;
}

export interface Open {
  /** In seconds since the epoch. */
  readonly at: number;
  readonly isRemembered: boolean;
  readonly keys: readonly string[];
}

/** A limit that a submission counts towards, such as the places of a form or of one option. */
export interface Claim {
  readonly key: string;
  readonly limit: number;
}

export interface Reservation {
  /** The submission's id. A second reservation with the same id does not count. */
  readonly id: string;
  /** Claims to be reserved, either all or none. */
  readonly claims: readonly Claim[];
  /** Whether to remember the id after settling it, for submissions that may be repeated. */
  readonly isRemembered: boolean;
  /** Ignores settled reservations older than this, in milliseconds, and replaces stale ones. Default: all reservations count. */
  readonly forMs?: number | undefined;
  /** How long to wait for other submissions to settle or release the claims, in milliseconds. Default: 0. */
  readonly waitMs?: number | undefined;
}

export interface Reserving {
  /** The keys that are full. If empty, everything is durably reserved. */
  readonly full: readonly string[];
  readonly tally: Tally;
}

export const noTally: Tally = { taken: new Map(), open: new Map() };

/** How many are taken or reserved. */
export function usedOf({ taken, open }: Tally, key: string): number {
  let used = taken.get(key)?.count ?? 0;
  for (const { keys } of open.values()) if (keys.includes(key)) used += 1;
  return used;
}

/** Reserves all claims, or none if one is full. If nothing changes, returns the same tally. */
export function reserved(
  tally: Tally,
  { id, claims, isRemembered, forMs }: Reservation,
  now: number,
): Reserving {
  const keys = claims.map(({ key }) => key);
  const current = forMs === undefined ? tally : withoutStale(stillCounting(tally, now, forMs), keys, now);
  const isAgain = current.open.has(id) || claims.some(({ key }) => remembers(current.taken.get(key), id));
  const full = isAgain ? [] : claims.filter(({ key, limit }) => usedOf(current, key) >= limit);
  if (isAgain || full.length > 0 || claims.length === 0)
    return { tally: current, full: full.map(({ key }) => key) };
  const one: Open = { at: seconds(now), isRemembered, keys };
  return { tally: { ...current, open: new Map(current.open).set(id, one) }, full: [] };
}

export function settled(tally: Tally, id: string, now: number): Tally {
  const one = tally.open.get(id);
  if (!one) return tally;
  const taken = new Map(tally.taken);
  for (const [index, key] of one.keys.entries()) {
    const { count, ids } = taken.get(key) ?? none;
    // A single copy is enough to recognize the id.
    const remembered = one.isRemembered && index === 0 ? shortId(id) : '';
    taken.set(key, { count: count + 1, at: Math.max(one.at, seconds(now)), ids: ids + remembered });
  }
  return { taken, open: without(tally.open, id) };
}

export const released = (tally: Tally, id: string): Tally =>
  tally.open.has(id) ? { ...tally, open: without(tally.open, id) } : tally;

/** Takes back what a settled reservation took, and forgets the id, so that it may be used again. */
export function withdrawn(tally: Tally, id: string, keys: readonly string[]): Tally {
  const taken = new Map(tally.taken);
  for (const key of keys) {
    const { count, at, ids } = taken.get(key) ?? none;
    const others = (ids.match(/.{1,8}/g) ?? []).filter((one) => one !== shortId(id));
    taken.set(key, { count: Math.max(0, count - 1), at, ids: others.join('') });
  }
  return { taken, open: without(tally.open, id) };
}

export const corrected = (tally: Tally, key: string, count: number, now: number): Tally => ({
  ...tally,
  taken: new Map(tally.taken).set(key, { ...(tally.taken.get(key) ?? none), count, at: seconds(now) }),
});

/** Leaves out what is too old to count. Keeps times in the future, because the clock may be wrong now. */
function stillCounting(tally: Tally, now: number, forMs: number): Tally {
  if (forMs === Infinity) return tally;
  const { taken, open } = tally;
  const oldest = seconds(now) - forMs / 1_000;
  const current = <T extends Taken | Open>(all: ReadonlyMap<string, T>) =>
    new Map([...all].filter(([, { at }]) => at > oldest));
  return { taken: current(taken), open: current(open) };
}

const none: Taken = { count: 0, at: 0, ids: '' };
const seconds = (ms: number) => Math.floor(ms / 1_000);

function without<T>(all: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const rest = new Map(all);
  rest.delete(key);
  return rest;
}

const shortLength = 8;
const shortId = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, shortLength);

function remembers(taken: Taken | undefined, id: string): boolean {
  if (!taken?.ids) return false;
  const short = shortId(id);
  for (let at = taken.ids.indexOf(short); at >= 0; at = taken.ids.indexOf(short, at + 1))
    if (at % shortLength === 0) return true;
  return false;
}

/** Every store can hold a text of this size. Counting fails if a text would be larger. */
const mostBytes = 300_000;

export function writeTally({ taken, open }: Tally): string {
  const text = JSON.stringify({
    taken: Object.fromEntries([...taken].map(([key, { count, at, ids }]) => [`_${key}`, [count, at, ids]])),
    open: [...open].map(([id, { at, isRemembered, keys }]) => [id, at, isRemembered ? 1 : 0, ...keys]),
  });
  if (Buffer.byteLength(text) > mostBytes) throw failed('counts_too_many', { bytes: mostBytes });
  return text;
}

const version = 1;

/** The header of each stored text. */
const head = `counts ${version}\n`;

export const withHead = (text: string): string => head + text;

/** A stored text without its header. Throws a `ClientError` if a newer relay wrote the text, which is then left unchanged. */
export function withoutHead(key: string, stored: string | undefined): string | undefined {
  if (stored === undefined || stored.startsWith(head)) return stored?.slice(head.length);
  const [, number] = /^counts (\d{1,9})\n/.exec(stored) ?? [];
  throw failed(Number(number) > version ? 'counts_newer' : 'counts_damaged', { at: key });
}

/** Throws a `ClientError` if the text is damaged. */
export function readTally(key: string, text: string | undefined): Tally {
  if (text === undefined) return noTally;
  try {
    const { taken, open } = JSON.parse(text) as Written;
    return {
      taken: new Map(
        Object.entries(taken).map(([key, [count, at, ids]]) => [
          key.slice(1),
          { count: whole(count), at: whole(at), ids: String(ids) },
        ]),
      ),
      open: new Map(
        open.map(([id, at, isRemembered, ...keys]) => [
          id,
          { at: whole(at), isRemembered: isRemembered === 1, keys: keys.map(String) },
        ]),
      ),
    };
  } catch {
    throw failed('counts_damaged', { at: key });
  }
}

interface Written {
  readonly taken: Readonly<Record<string, readonly [count: number, at: number, ids: string]>>;
  readonly open: readonly (readonly [id: string, at: number, isRemembered: 0 | 1, ...keys: string[]])[];
}

function whole(found: unknown): number {
  if (!Number.isSafeInteger(found)) throw new RangeError('not a whole number');
  return found as number;
}

/** A reservation open for longer is stale: its process has died, or the store failed. */
const staleAfterSeconds = 60;

const isStale = ({ at }: Open, now: number): boolean => Math.abs(now / 1_000 - at) > staleAfterSeconds;

/** Open reservations that a crash left behind. */
export const staleIn = ({ open }: Tally, now: number): readonly (readonly [id: string, Open])[] =>
  [...open].filter(([, one]) => isStale(one, now));

/** Leaves out stale reservations of these keys. */
export function withoutStale(tally: Tally, keys: readonly string[], now: number): Tally {
  const isOver = (one: Open) => isStale(one, now) && one.keys.some((key) => keys.includes(key));
  return { ...tally, open: new Map([...tally.open].filter(([, one]) => !isOver(one))) };
}

/** Whether a submission that has reserved one of these keys is still being delivered. */
export const isAwaited = ({ open }: Tally, keys: readonly string[], now: number): boolean =>
  [...open.values()].some((one) => !isStale(one, now) && one.keys.some((key) => keys.includes(key)));
