import { ClientError } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Plugin, Services } from '@form-relay/core/index';
import { decodeEntry, encodeEntry } from './entry.ts';
import { failed } from './failures.ts';
import type { Lease, PluginPlace, Store } from './store.ts';

/** The parts of the outside world that stores need. */
export interface StoreContext extends Pick<Services, 'env' | 'now' | 'aws' | 'binding'> {
  /** The largest submission that is kept, in bytes. Default: 64 MB. */
  readonly mostKept?: number;
}

/** The scheme of an address, in lower case. `undefined`: it is a path. */
export const schemeOf = (address: string) => /^([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();

/** A kind of store that a plug-in brings (docs/plugins/stores.md). */
export interface StoreType {
  /** The schemes of its addresses, in lower case: `redis` for `keep: {in: redis://host}`. */
  readonly schemes: readonly string[];
  /** The mistake in an address, in words for its owner. */
  problem?(address: string): string | undefined;
  /** Opens the store at an address. Connects to nothing and reads nothing before it is used. */
  open(address: string, context: PluginStoreContext): Store | Promise<Store>;
}

export interface PluginStoreContext extends StoreContext {
  /** An entry as bytes, to store as they are. */
  readonly encode: typeof encodeEntry;
  /** The entry of these bytes; or what is left of it, with `isDamaged`. */
  readonly decode: typeof decodeEntry;
}

declare module '@form-relay/core/plugin' {
  interface Plugin {
    /** Places where `keep` can store what outputs owe. */
    readonly stores?: readonly StoreType[];
  }
}

/** The place with its type, or what is wrong with its address. */
export function pluginPlace({ name }: PluginPlace, plugins: readonly Plugin[]): PluginPlace | string {
  const types = plugins.flatMap(({ stores = [] }) => stores);
  const type = types.find(({ schemes }) => schemes.includes(schemeOf(name) ?? ''));
  const others = types.flatMap(({ schemes }) => schemes.map((scheme) => `${scheme}://…, `)).join('');
  const problem = type
    ? type.problem?.(name)
    : `found ${JSON.stringify(name)}; expected a folder such as /var/lib/form-relay, or a queue: sqs://…, nats://…, ${others}or queue://KEPT/ASIDE on Cloudflare Workers`;
  return problem ?? { kind: 'plugin', name, ...(type && { type }) };
}

export async function openPluginStore({ name, type }: PluginPlace, context: StoreContext): Promise<Store> {
  if (!type) throw new Error('no plug-in has this store');
  const store = await type.open(name, { ...context, encode: encodeEntry, decode: decodeEntry });
  const lacks = methods.find((name) => typeof store?.[name] !== 'function');
  if (lacks) throw failed('store_failed', { reason: `what open returned has no ${lacks}` });
  return guestStore(store);
}

const methods = ['keep', 'lease', 'count', 'list', 'leaseMatching', 'look', 'close'] as const;

/** A store that does not wait, though it has nothing, would let nothing else run. */
const restMs = 200;

/** The store, with its failures as those of the relay's own: a `ClientError`, and an end to each `keep`. */
function guestStore(store: Store): Store {
  const { handed, isFirst, setUp } = store;
  return {
    ...(store.notes && { notes: store.notes }),
    keep: (entries, options) =>
      withClientErrors(async () => {
        const late = () => {
          throw failed('store_failed', { reason: `it did not end within ${options.timeoutMs} ms` });
        };
        const kept = await withTimeout(options.timeoutMs, store.keep(entries, options), late);
        return ((kept as readonly Lease[] | undefined) ?? []).map(guestLease);
      }),
    lease: (...args) =>
      withClientErrors(async () => {
        const until = performance.now() + Math.min(args[1], restMs);
        const leases = await store.lease(...args);
        const leftMs = leases.length === 0 ? until - performance.now() : 0;
        if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
        return leases.map(guestLease);
      }),
    ...(handed && {
      handed: (messages, turn, mayBegin) =>
        withClientErrors(() => handed.call(store, messages, (lease) => turn(guestLease(lease)), mayBegin)),
    }),
    count: () => withClientErrors(() => store.count()),
    list: () => listing(store.list()),
    async *leaseMatching(wanted) {
      for await (const one of listing(store.leaseMatching(wanted)))
        yield { ...guestLease(one), listed: one.listed };
    },
    ...(isFirst && { isFirst: (key) => withClientErrors(() => isFirst.call(store, key)) }),
    ...(setUp && { setUp: () => withClientErrors(() => setUp.call(store)) }),
    look: (timeoutMs) => withClientErrors(() => store.look(timeoutMs)),
    close: () => withClientErrors(() => store.close()),
  };
}

const guestLease = (lease: Lease): Lease => ({
  kept: lease.kept,
  ...(lease.isDamaged && { isDamaged: lease.isDamaged }),
  done: () => withClientErrors(() => lease.done()),
  reschedule: (dueAt, kept) => withClientErrors(() => lease.reschedule(dueAt, kept)),
  setAside: (aside, kept) => withClientErrors(() => lease.setAside(aside, kept)),
});

const withClientErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw toClientError(error);
  }
};

async function* listing<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* all;
  } catch (error) {
    throw toClientError(error);
  }
}

/** The message of another error may quote an address with a password, or an entry. */
const toClientError = (error: unknown): ClientError =>
  error instanceof ClientError
    ? error
    : failed('store_failed', {
        reason:
          error instanceof Error
            ? String((error as NodeJS.ErrnoException).code ?? error.name)
            : 'it threw no error',
      });
