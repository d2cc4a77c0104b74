import { createHash } from 'node:crypto';
import { check } from '@form-relay/core/command';
import type { Life, Plugin, Services } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { textSchema } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { failed } from '@form-relay/stores/failures';
import { configuredPlace, holds } from '@form-relay/stores/index';
import { openCounts } from '@form-relay/stores/open_store';
import type { SharedState, StateEntry, Store, StorePlace } from '@form-relay/stores/store';
import { Counter, createMemoryCounts } from './counter.ts';
import { nameInStore } from './registration.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    counters: StorePlace;
  }
  interface Provided {
    counters: Counters;
  }
}

/** The store in which the forms of a config count. */
export interface Counters {
  readonly place: StorePlace;
  /** A single counter for each store and process, because the changes of a process must be queued. */
  counter(services: Services): Promise<Counter>;
}

/** Keys of other plug-ins that need counters, for which the relay loads this plug-in. */
export const uses = [
  'form places',
  'form option_places',
  'form once',
  'form keys_env',
  'form links',
  'field verify email',
];

/** Counters for features with limits, in the store `counted_in` at the top, or in that of `keep`. */
export function plugin(): Plugin {
  const opened = new Map<string, Promise<Counter>>();
  const stores = new Map<string, Store>();
  let latest: Life | undefined;
  /** The names of the stores that the latest config uses. */
  let used: ReadonlySet<string> = new Set();
  /** Closes the stores that no config uses any more. */
  const end = async (ended: Life) => {
    if (latest === ended) used = new Set();
    await ended.drained;
    for (const [name, counter] of opened) {
      if (used.has(name)) continue;
      opened.delete(name);
      await counter;
      await stores.get(name)?.close();
      stores.delete(name);
    }
  };
  const open = (place: StorePlace, services: Services): Promise<Counter> => {
    const name = services.isDryRun ? '' : place.name;
    const known = opened.get(name);
    if (known !== undefined) return known;
    const opening = (async () => {
      if (services.isDryRun) return new Counter(createMemoryCounts(), services.now);
      const store = await openCounts(place, services);
      stores.set(name, store);
      return new Counter(store.counts, services.now);
    })();
    // On Workers, a request must not await a promise of another request, so each one gets its own counter.
    if (services.binding && !services.isDryRun) return opening;
    opened.set(name, opening);
    opening.catch(() => opened.delete(name));
    return opening;
  };
  const counters = feature({
    name: 'counters',
    after: ['keep'],
    keys: {
      top: {
        counted_in: optional(
          'Store of counters for places, registrations and repeated requests: `dynamodb://table`, a local folder, `nats://…`, or `durable-object://…` on Cloudflare Workers. Default: `keep.in`, if it is a folder or `nats://…` (docs/places.md, docs/keys.md). Never templated.',
          textSchema((address, at) =>
            address.includes('{{')
              ? at.error('counted_in cannot be a template; write out the address')
              : address,
          ),
        ),
      },
    },
    configureTop: ({ counted_in: address }, at, { plugins }) =>
      address === undefined ? undefined : configuredPlace(address, plugins, 'counts', at.in('counted_in')),
    configure: ({ shared, sharedBy }) => {
      const place = shared ?? countingPlace(sharedBy.get('keep'));
      return place && { provides: { place, counter: (services) => open(place, services) } };
    },
  });
  return {
    name: 'counters',
    features: [counters, sharedState],
    checks: [check('Places', () => import('./check.ts'))],
    start: (life) => {
      latest = life;
      used = new Set(
        [...life.forms.values()].flatMap(({ provided }) => provided.get('counters')?.place.name ?? []),
      );
      life.signal.addEventListener('abort', () => life.wait(end(life)));
    },
  };
}

/** The store of `keep`, if it can count. */
export const countingPlace = (keep: { readonly in: StorePlace } | undefined): StorePlace | undefined =>
  keep && holds(keep.in, 'counts') ? keep.in : undefined;

// State of features, in the store of the counters.

/** The limit of each text. State is spread over 256 texts per form, so that none grows large. */
const mostBytes = 300_000;

/** Entries by the hash of their key: when each expires, in milliseconds since the epoch, and its text. */
type Written = Readonly<Record<string, readonly [until: number, text: string]>>;

const sharedState = feature({
  name: 'shared_state',
  after: ['counters'],
  configure: ({ formId, provided }) => {
    const counters = provided.get('counters');
    return counters && { provides: stateIn(formId, counters) };
  },
});

function stateIn(form: string, counters: Counters): SharedState {
  const change: SharedState['change'] = async ({ services }, key, make) => {
    const hash = createHash('sha256').update(key).digest('hex');
    const at = `state/${nameInStore(form)}/${hash.slice(0, 2)}`;
    const name = hash.slice(2, 34);
    const counter = await counters.counter(services);
    let after: StateEntry | undefined;
    await counter.change(at, (text) => {
      const { [name]: known, ...others } = readEntries(at, text, services.now());
      const before = known && { until: known[0], text: known[1] };
      after = make(before);
      if (after?.text === before?.text && after?.until === before?.until) return text;
      const entry = after && [Math.min(after.until, Number.MAX_SAFE_INTEGER), after.text];
      const written = JSON.stringify({ ...others, ...(entry && { [name]: entry }) });
      if (after && Buffer.byteLength(written) > mostBytes)
        throw failed('counts_too_many', { bytes: mostBytes });
      return written;
    });
    return after;
  };
  return { change, read: (by, key) => change(by, key, (entry) => entry) };
}

/** Leaves out entries that have expired. */
function readEntries(at: string, text: string | undefined, now: number): Written {
  try {
    const entries = Object.entries(JSON.parse(text ?? '{}') as Written);
    return Object.fromEntries(entries.filter(([, [until]]) => until > now));
  } catch {
    throw failed('counts_damaged', { at });
  }
}
