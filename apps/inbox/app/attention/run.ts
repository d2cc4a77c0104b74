/** The person's work on many submissions, which the server does. */
import { effect, signal } from '@preact/signals';
import type { Mark, Run, RunRequest } from '../../src/api.ts';
import { isConnected, tell } from '../about.ts';
import { paramsOf, query } from '../address.ts';
import { ask, post, wordsOf } from '../ask.ts';
import { changed } from '../list/entries.ts';
import { clear } from '../list/selection.ts';
import { counted, number } from '../words.ts';

export const run = signal<Run | undefined>(undefined);

interface Told {
  readonly run?: Run | undefined;
}

/** A run before it begins; without `ids`, on all of the choice. */
export interface RunPlan {
  readonly request: RunRequest;
  readonly ids?: readonly string[] | undefined;
  readonly count: number;
  /** The form of all of them, if they have one: it has the outputs to deliver to again. */
  readonly form?: string | undefined;
}

const askEveryMs = 400;
/** A run without failures leaves the page by itself. */
const shownMs = 12_000;
let asking: ReturnType<typeof setTimeout> | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** Asks how far it is until it has ended. */
export async function readRun(): Promise<void> {
  clearTimeout(asking);
  try {
    took(await ask<Told>('/api/run'));
  } catch {
    // The page says already that the server does not answer; it asks again once that is over.
  }
}

function took({ run: now }: Told): void {
  const wasRunning = run.peek()?.state === 'running';
  run.value = now;
  clearTimeout(asking);
  clearTimeout(leaving);
  if (now?.state === 'running') asking = setTimeout(readRun, askEveryMs);
  else if (wasRunning) void changed();
  const isGood = now?.state === 'done' && now.failed + now.left === 0;
  if (isGood || now?.state === 'undone') leaving = setTimeout(closeRun, shownMs);
}

/** Goes on after a reload, and once the connection is back. */
effect(() => {
  if (isConnected.value) void readRun();
});

/** @param ids Without them, all of the choice. */
export async function startRun(request: RunRequest, ids?: readonly string[]): Promise<void> {
  try {
    const path = ids ? '/api/run' : `/api/run?${paramsOf(query.peek())}`;
    took(await post<Told>(path, { ...request, ...(ids && { ids }) }));
    clear();
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

const order = (what: 'cancel' | 'undo' | 'close') => async () => {
  try {
    took(await post<Told>(`/api/run/${what}`, {}));
    if (what === 'undo') void changed();
  } catch (error) {
    tell(wordsOf(error), true);
  }
};
export const cancelRun = order('cancel');
export const undoRun = order('undo');
export const closeRun = order('close');

const verbs = {
  deliver: ['Delivering', 'Delivered'],
  again: ['Delivering again', 'Delivered again'],
  restore: ['Restoring', 'Restored'],
  mark: ['Marking', 'Marked'],
} as const;

/** How far a run is, or how it ended. */
export function runInWords({ action, mark, state, of, done, failed, left }: Run): string {
  const [doing, did] = verbs[action];
  const as = mark ? ` as ${markWords[mark]}` : '';
  const things = (count: number) =>
    action === 'deliver' ? counted(count, 'delivery', 'deliveries') : counted(count, 'submission');
  const failures = failed > 0 ? ` ${number(failed)} failed.` : '';
  if (state === 'running') return `${doing} ${number(done + failed)} of ${things(of)}${as}.${failures}`;
  if (state === 'undone') return `Removed the marks from ${things(done)}.`;
  const rest = left > 0 ? ` ${number(left)} not tried.` : '';
  const sum = done === of ? things(of) : `${number(done)} of ${things(of)}`;
  return `${state === 'cancelled' ? 'Cancelled. ' : ''}${did} ${sum}${as}.${failures}${rest}`;
}

export const markWords: Readonly<Record<Mark, string>> = { spam: 'spam', ham: 'not spam' };
