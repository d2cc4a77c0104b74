import { failed, inTime } from '../failures.ts';
import type { Counts, Store, Versioned } from '../store.ts';

/** The namespace of the Durable Object `Counts`, as bound to the Worker. */
interface CountsNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): CountsStub;
}

export interface CountsStub {
  read(): Promise<Versioned>;
  write(text: string, version: string): Promise<boolean>;
  remove(): Promise<void>;
}

/** The bound namespace. Throws a `ClientError` if the name is bound to something else. */
function countsNamespace(name: string, binding?: (name: string) => unknown): CountsNamespace {
  const namespace = binding?.(name) as CountsNamespace | undefined;
  if (typeof namespace?.idFromName !== 'function')
    throw failed('binding_missing', { name, kind: 'Durable Object' });
  return namespace;
}

/** Counts in Cloudflare Durable Objects, one per key. Each object handles one request at a time. */
export function openObjects(name: string, binding?: (name: string) => unknown): Store {
  const ask = <T>(key: string, timeoutMs: number, question: (stub: CountsStub) => Promise<T>): Promise<T> => {
    const namespace = countsNamespace(name, binding);
    // A stub must not outlive its request, so get a new one.
    const answer = question(namespace.get(namespace.idFromName(`count/${key}`))).catch(() => {
      throw failed('durable_object_failed', { name }, { retryAfterMs: 0 });
    });
    return inTime(timeoutMs, answer);
  };
  const counts: Counts = {
    read: async (key, timeoutMs) => ask(key, timeoutMs, (stub) => stub.read()),
    write: async (key, text, { version }, timeoutMs) =>
      ask(key, timeoutMs, (stub) => stub.write(text, version)),
    remove: async (key, timeoutMs) => ask(key, timeoutMs, (stub) => stub.remove()),
  };
  const says = `the binding ${name} works only in a Worker on Cloudflare`;
  return {
    counts,
    remedies: {
      counts_damaged:
        'Bind another name to a new class of Durable Objects, and use that name in counted_in. Values that `once` had registered are accepted again.',
    },
    probe: async () => [{ level: 'ok', says }],
    close: async () => {},
  };
}
