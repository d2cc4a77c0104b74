/** Bulk actions: the server runs them, the page shows their progress. */
import { effect, signal } from '@preact/signals';
import type { Mark, Run, RunRequest } from '../../src/api.ts';
import { attempt, isConnected } from '../about.ts';
import { paramsOf, query } from '../address.ts';
import { ask, post } from '../ask.ts';
import { changed } from '../list/entries.ts';
import { clear } from '../list/selection.ts';
import { counted, number } from '../words.ts';

export const run = signal<Run | undefined>(undefined);

interface RunAnswer {
  readonly run?: Run | undefined;
}

/** A run before it starts. Without `ids`, it covers everything that matches the filter. */
export interface RunPlan {
  readonly request: RunRequest;
  readonly ids?: readonly string[] | undefined;
  readonly count: number;
  /** The form that all of them share, if any: its outputs are offered for redelivery. */
  readonly form?: string | undefined;
}

const askEveryMs = 400;
/** Hides a run without failures after this time. */
const shownMs = 12_000;
let asking: ReturnType<typeof setTimeout> | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** Polls the progress until the run ends. */
export async function readRun(): Promise<void> {
  clearTimeout(asking);
  try {
    took(await ask<RunAnswer>('/api/run'));
  } catch {
    // The page already says that the server does not answer; polling resumes when it does.
  }
}

function took({ run: now }: RunAnswer): void {
  const wasRunning = run.peek()?.state === 'running';
  run.value = now;
  clearTimeout(asking);
  clearTimeout(leaving);
  if (now?.state === 'running') asking = setTimeout(readRun, askEveryMs);
  else if (wasRunning) void changed();
  const isGood = now?.state === 'done' && now.failed + now.left === 0;
  if (isGood || now?.state === 'undone') leaving = setTimeout(closeRun, shownMs);
}

/** Resumes polling after a reload or a reconnect. */
effect(() => {
  if (isConnected.value) void readRun();
});

/** @param ids Default: everything that matches the filter. */
export const startRun = (request: RunRequest, ids?: readonly string[]) =>
  attempt(async () => {
    const path = ids ? '/api/run' : `/api/run?${paramsOf(query.peek())}`;
    took(await post<RunAnswer>(path, { ...request, ...(ids && { ids }) }));
    clear();
  });

const order = (what: 'cancel' | 'undo' | 'close') => () =>
  attempt(async () => {
    took(await post<RunAnswer>(`/api/run/${what}`, {}));
    if (what === 'undo') void changed();
  });
export const cancelRun = order('cancel');
export const undoRun = order('undo');
export const closeRun = order('close');

const verbs = {
  deliver: ['Delivering', 'Delivered'],
  again: ['Redelivering', 'Redelivered'],
  restore: ['Restoring', 'Restored'],
  mark: ['Marking', 'Marked'],
} as const;

export function runInWords({ action, mark, state, of, done, failed, left }: Run): string {
  const [doing, did] = verbs[action];
  const as = mark ? ` as ${markWords[mark]}` : '';
  const things = (count: number) =>
    action === 'deliver' ? counted(count, 'delivery', 'deliveries') : counted(count, 'submission');
  const failures = failed > 0 ? ` ${number(failed)} failed.` : '';
  if (state === 'running') return `${doing} ${number(done + failed)} of ${things(of)}${as}.${failures}`;
  if (state === 'undone') return `Removed the marks from ${things(done)}.`;
  const rest = left > 0 ? ` ${number(left)} not attempted.` : '';
  const sum = done === of ? things(of) : `${number(done)} of ${things(of)}`;
  return `${state === 'cancelled' ? 'Cancelled. ' : ''}${did} ${sum}${as}.${failures}${rest}`;
}

export const markWords: Readonly<Record<Mark, string>> = { spam: 'spam', ham: 'not spam' };
