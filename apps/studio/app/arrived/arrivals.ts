/** Notices new reports, and old ones that change: opens the newest, and announces the result of each. */
import { effect, signal, untracked } from '@preact/signals';
import type { ReportState } from '../../src/state.ts';
import { side } from '../shell/address.ts';
import { knownBefore, reports, say } from '../store.ts';

/** The numbers of the open reports. */
const opened = signal<ReadonlySet<number>>(new Set());
/** The one that opened itself; it closes when the next one does. */
let openedItself: number | undefined;

export const isOpen = (number: number): boolean => opened.value.has(number);

/** A report that the owner touched stays open. */
export function touch(number: number): void {
  if (openedItself === number) openedItself = undefined;
}

export function toggle(number: number): void {
  const next = new Set(opened.value);
  if (!next.delete(number)) next.add(number);
  opened.value = next;
}

/** Numbers that were there at the last look. */
let known: ReadonlySet<number> = new Set();

/** Stories up to number `last` are no news: the page was not there yet. */
function look(now: readonly ReportState[], last: number): void {
  const before = known;
  known = new Set(now.map(({ number }) => number));
  // The newest stands first, and is announced last.
  for (const one of now.toReversed()) if (!before.has(one.number) && one.number > last) arrive(one);
}

function arrive(one: ReportState): void {
  const next = new Set(opened.value);
  if (openedItself !== undefined) next.delete(openedItself);
  opened.value = next.add(one.number);
  openedItself = one.number;
  // In a window with two columns, it may be hidden behind the config.
  side.value = 'arrived';
  say(`${one.report.form}: ${one.ending.word}, ${one.report.says}`);
}

/** Follows the reports until the returned function is called. */
export const followArrivals = (): (() => void) =>
  effect(() => {
    const now = reports.value;
    const last = knownBefore.value;
    if (last !== undefined) untracked(() => look(now, last));
  });
