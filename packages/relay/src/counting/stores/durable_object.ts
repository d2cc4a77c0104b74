/** Counts in Durable Objects of Cloudflare, one for each key: each handles one request after the other. */
import { failed } from '../../base/client_error.ts';
import type { CountPlace, CountStore, Versioned } from '../../base/counts.ts';
import { inTime } from '../../base/soon.ts';

/** A namespace of `Counts` (`runtimes/cloudflare/counts.ts`), as the Worker sees it. */
export interface CountsNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): CountsStub;
}

export interface CountsStub {
  read(): Promise<Versioned>;
  write(text: string, version: string): Promise<boolean>;
  remove(): Promise<void>;
  take(limit: { readonly most: number; readonly withinMs: number }): Promise<CountedOrNot>;
  giveBack(at: number): Promise<void>;
}

export type CountedOrNot = { readonly at: number } | { readonly waitMs: number };

/** Throws a `ClientError` if the name is bound to something else. */
export function countsNamespace(name: string, binding?: (name: string) => unknown): CountsNamespace {
  const namespace = binding?.(name) as CountsNamespace | undefined;
  if (typeof namespace?.idFromName !== 'function')
    throw failed('binding_missing', { name, kind: 'Durable Object' });
  return namespace;
}

export function createObjectCounts(
  { binding: name }: Extract<CountPlace, { kind: 'durable-object' }>,
  binding?: (name: string) => unknown,
): CountStore {
  const ask = <T>(key: string, timeoutMs: number, question: (stub: CountsStub) => Promise<T>): Promise<T> => {
    const namespace = countsNamespace(name, binding);
    // A stub belongs to the request that made it.
    const answer = question(namespace.get(namespace.idFromName(`count/${key}`))).catch(() => {
      throw failed('durable_object_failed', { name }, { retryAfterMs: 0 });
    });
    return inTime(timeoutMs, answer, () => {
      throw failed('timed_out', { timeoutMs });
    });
  };
  return {
    read: async (key, timeoutMs) => ask(key, timeoutMs, (stub) => stub.read()),
    write: async (key, text, { version }, timeoutMs) =>
      ask(key, timeoutMs, (stub) => stub.write(text, version)),
    remove: async (key, timeoutMs) => ask(key, timeoutMs, (stub) => stub.remove()),
    close: async () => {},
  };
}
