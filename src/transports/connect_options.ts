import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];

const underWay = new Map<string, Callback[]>();

/**
 * `dns.lookup`, where callers that ask for a host at the same time share one answer: a lookup holds one of the few
 * threads that the process has for them, and where the DNS hangs, it holds it for long (D47). It keeps no answer.
 *
 * All connections ask in the same way, so the host says which answers are the same.
 */
const lookup: LookupFunction = (host, options, callback) => {
  const waiting = underWay.get(host);
  if (waiting) {
    waiting.push(callback);
    return;
  }
  const callbacks = [callback];
  underWay.set(host, callbacks);
  // Not imported above: a cold start may need no host.
  process.getBuiltinModule('node:dns').lookup(host, options, (...answer) => {
    underWay.delete(host);
    for (const callback of callbacks) callback(...answer);
  });
};

/** How every connection to another server is made (D47). */
export const connectOptions = {
  lookup,
  // Node would give up on each address of a host but the last after 250 ms: less than one lost packet takes.
  autoSelectFamilyAttemptTimeout: 2_000,
};
