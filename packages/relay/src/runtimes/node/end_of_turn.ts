/**
 * Does it at the end of this turn of the event loop, with all else that waits for that. When answers are written one after
 * the other, the first wakes the other side, and the rest are there by then: waking it each time costs more than the writes.
 */
export function atEndOfTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(doAll);
}

let waiting: (() => void)[] = [];

function doAll(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) work();
}
