import { failed } from '../count_failures.ts';
import type { CounterStore, Versioned } from '../counts.ts';
import { inTime } from '../failures.ts';

/** A namespace of the Durable Object `Counts`, as the Worker sees it. */
interface CountsNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): CountsStub;
}

export interface CountsStub {
  read(): Promise<Versioned>;
  write(text: string, version: string): Promise<boolean>;
  remove(): Promise<void>;
}

/** Throws a `ClientError` if the name is bound to something else. */
function countsNamespace(name: string, binding?: (name: string) => unknown): CountsNamespace {
  const namespace = binding?.(name) as CountsNamespace | undefined;
  if (typeof namespace?.idFromName !== 'function')
    throw failed('binding_missing', { name, kind: 'Durable Object' });
  return namespace;
}

/** Counts in Durable Objects of Cloudflare, one for each key: each object handles one request at a time. */
export function createObjectCounts(
  { binding: name }: { readonly binding: string },
  binding?: (name: string) => unknown,
): CounterStore {
  const ask = <T>(key: string, timeoutMs: number, question: (stub: CountsStub) => Promise<T>): Promise<T> => {
    const namespace = countsNamespace(name, binding);
    // A stub must not outlive its request.
    const answer = question(namespace.get(namespace.idFromName(`count/${key}`))).catch(() => {
      throw failed('durable_object_failed', { name }, { retryAfterMs: 0 });
    });
    return inTime(timeoutMs, answer);
  };
  return {
    read: async (key, timeoutMs) => ask(key, timeoutMs, (stub) => stub.read()),
    write: async (key, text, { version }, timeoutMs) =>
      ask(key, timeoutMs, (stub) => stub.write(text, version)),
    remove: async (key, timeoutMs) => ask(key, timeoutMs, (stub) => stub.remove()),
    close: async () => {},
  };
}
