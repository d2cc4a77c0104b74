import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];

const underWay = new Map<string, Callback[]>();

/**
 * `dns.lookup`, but those who ask for the same host at the same time share one answer, which is not kept. A lookup
 * occupies one of the few threads that the process has for it, and for long where the DNS hangs (D47).
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
  // Not imported above: a cold start may look up no host.
  process.getBuiltinModule('node:dns').lookup(host, options, (...answer) => {
    underWay.delete(host);
    for (const callback of callbacks) callback(...answer);
  });
};

/** How every connection to another server is made (D47). */
export const connectOptions = {
  lookup,
  // Node's default leaves each address of a host but the last 250 ms: too little after one lost packet.
  autoSelectFamilyAttemptTimeout: 2_000,
};
