/**
 * The keys that an agent publishes (draft-ietf-webbotauth-httpsig-directory), used for as long as its
 * directory declares them fresh.
 */
import { ClientError, fail } from '@form-relay/base/client_error';
import { parseJson } from '@form-relay/base/json';
import { parseUrl } from '@form-relay/base/url';
import type { Services } from '@form-relay/core/index';
import { type Key, readKey } from './signature.ts';

const minuteMs = 60_000;
const timeoutMs = 4_000;
const mostKeys = 50;
/** How long keys are fresh: the default for directories without this information, and the bounds. */
const freshMs = { usual: 60 * minuteMs, least: minuteMs, most: 1_440 * minuteMs };
/** How long keys are still used after that if the directory cannot be read. */
const staleMs = 1_440 * minuteMs;
const failedMs = minuteMs;

const wellKnown = '/.well-known/http-message-signatures-directory';
const mediaType = 'application/http-message-signatures-directory+json';

/** The URL of the directory that names an agent: an origin, or a key set. `undefined`: the text is not a web URL. */
export function directoryAddress(text: string): string | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname === '/' ? wellKnown : url.pathname}`;
}

interface Published {
  readonly key: Key;
  /** In milliseconds since the epoch, like all times in this file. */
  readonly from: number;
  readonly until: number;
}

interface Known {
  keys: ReadonlyMap<string, Published>;
  fetchedAt: number;
  freshUntil: number;
  /** When the directory may be requested again after a failure. */
  retryAt: number;
  failure: string | undefined;
  fetching: Promise<void> | undefined;
}

export type FoundKey = { readonly key: Key } | { readonly unknown: string } | { readonly failure: string };

/** The directories of the agents in the config, by URL. */
export class Directories {
  readonly #known = new Map<string, Known>();

  async key(address: string, keyid: string, services: Services): Promise<FoundKey> {
    const none = {
      keys: new Map(),
      fetchedAt: 0,
      freshUntil: 0,
      retryAt: 0,
      failure: undefined,
      fetching: undefined,
    };
    const known: Known = this.#known.get(address) ?? none;
    this.#known.set(address, known);
    const now = services.now();
    // An agent publishes a new key before it uses it.
    const isMissing = !known.keys.has(keyid) && now >= known.fetchedAt + minuteMs;
    if (now >= known.retryAt && (now >= known.freshUntil || isMissing))
      await refresh(known, address, services);
    const published = known.keys.get(keyid);
    if (published && now < known.freshUntil + staleMs)
      return now >= published.from && now < published.until
        ? { key: published.key }
        : { unknown: 'the directory lists the key as not valid now' };
    return known.failure === undefined
      ? { unknown: 'the directory does not have the key' }
      : { failure: known.failure };
  }
}

/** Requests that need the same keys share one fetch. In a Worker, requests must not wait for each other. */
function refresh(known: Known, address: string, services: Services): Promise<void> {
  if (services.binding) return update(known, address, services);
  known.fetching ??= update(known, address, services).finally(() => {
    known.fetching = undefined;
  });
  return known.fetching;
}

async function update(known: Known, address: string, services: Services): Promise<void> {
  try {
    const { keys, forMs } = await fetchDirectory(address, services);
    const fetchedAt = services.now();
    Object.assign(known, { keys, fetchedAt, freshUntil: fetchedAt + forMs, retryAt: 0, failure: undefined });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    known.failure = `the directory cannot be read: ${error.message}`;
    known.retryAt = services.now() + failedMs;
    services.log('warn', 'agent_directory_failed', { directory: address, reason: error.message });
  }
}

/** Rejects with a `ClientError`. */
export async function fetchDirectory(address: string, { http }: Pick<Services, 'http'>) {
  const { status, headers, body, isCut } = await http({
    ...{ method: 'GET', url: new URL(address), isPublicOnly: true, body: '', timeoutMs },
    headers: { accept: `${mediaType}, application/json;q=0.9` },
  });
  if (status !== 200) throw fail(`the server answered ${status}`);
  if (isCut) throw fail('the response is longer than 64 KB, or was cut off');
  const { keys: listed } = (parseJson(body) ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(listed)) throw fail('the response is not a list of keys');
  if (listed.length > mostKeys)
    throw fail(`the directory has ${listed.length} keys; at most ${mostKeys} are allowed`);
  const found = listed.flatMap((jwk) => {
    const read = typeof jwk === 'object' && jwk !== null ? readKey(jwk) : undefined;
    if (!read || publishedSecrets.has(read[0])) return [];
    const { nbf, exp } = jwk as Readonly<Record<string, unknown>>;
    return [[read[0], { key: read[1], from: timeIn(nbf) ?? 0, until: timeIn(exp) ?? Infinity }] as const];
  });
  const [, seconds] = /(?:^|,)\s*max-age="?(\d{1,9})/i.exec(headers['cache-control'] ?? '') ?? [];
  const saidMs =
    seconds === undefined ? freshMs.usual : Number(seconds) * 1_000 - 1_000 * (Number(headers.age) || 0);
  return {
    keys: new Map(found),
    forMs: Math.min(freshMs.most, Math.max(freshMs.least, saidMs)),
  };
}

/** The time may be in seconds or, in some directories, in milliseconds. */
const timeIn = (time: unknown): number | undefined =>
  typeof time === 'number' ? time * (time < 100_000_000_000 ? 1_000 : 1) : undefined;

/** Thumbprints of keys whose private half is published for testing: RFC 9421, B.1, and RFC 8037, A. */
const publishedSecrets: ReadonlySet<string> = new Set([
  'BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo',
  'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA',
  'ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI',
  'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
]);
