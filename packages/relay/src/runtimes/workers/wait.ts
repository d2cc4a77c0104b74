/** A worker that ran for so long has started well: what ends it later is something new. */
const steadyMs = 30_000;

const firstMs = 100;
const mostMs = 30_000;

/** How long to wait before a worker is replaced that died after `ranMs`; and how often, one after the other, they did. */
export function nextWait(deaths: number, ranMs: number): { readonly deaths: number; readonly ms: number } {
  const now = ranMs >= steadyMs ? 1 : deaths + 1;
  return { deaths: now, ms: Math.min(mostMs, firstMs * 2 ** (now - 1)) };
}
