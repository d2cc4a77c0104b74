/**
 * Does it at the end of this turn of the event loop, with all else that waits for that. Of answers that are written one
 * after the other, the first wakes the other side, which then finds the rest: to wake it costs more than a write.
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
