/**
 * Manual changes on their way into the text. The relay first checks that the config still loads with each of
 * them. Changes that do not load yet are pending: the builder shows them, but the text does not contain them.
 */
import { ChangeSet, Text } from '@codemirror/state';
import { effect, signal } from '@preact/signals';
import { changeBetween } from '../edit/edit.ts';
import type { Change } from '../edit/model.ts';
import type { ProblemState } from '../src/state.ts';
import { ask } from './relay.ts';

/** The config in the editor. Only the editor sets it. */
export const text = signal('');
/** The same with pending changes. */
export const built = signal('');
/** Why the config does not load with the pending changes; `undefined` if there are none. */
export const pending = signal<readonly ProblemState[] | undefined>(undefined);
/** How many times an edit of the text has discarded pending changes. */
export const overwritten = signal(0);
/** The editor's interface for this module. */
export interface History {
  readonly apply: (changes: readonly Change[], step?: object) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** How many steps can be undone. */
  readonly depth: () => number;
}
let history: History | undefined;
export const useHistory = (of: History | undefined) => {
  history = of;
};

interface Proposal {
  set: ChangeSet;
  readonly step: object | undefined;
}

/** A pending undo step: its inverse change, and the editor's undo depth. */
interface Step {
  back: ChangeSet;
  readonly step: object | undefined;
  readonly depth: number;
}

const none = (of: string) => ChangeSet.empty(of.length);
const after = (set: ChangeSet, of: string) => set.apply(Text.of(of.split('\n'))).toString();
const between = (one: string, other: string) => ChangeSet.of(changeBetween(one, other), one.length);

/** The editor's text, to which `parked` applies. */
let base = '';
/** The change from the text to the pending state; `proposals` come after it. */
let parked = none(base);
let proposals: Proposal[] = [];
let steps: Step[] = [];
let undone: { readonly set: ChangeSet; readonly on: string } | undefined;
let working: Promise<void> | undefined;
let retrying: ReturnType<typeof setTimeout> | undefined;

/**
 * Changes the builder's view immediately, and the text when the relay has checked it. Consecutive changes
 * with the same `step` form one undo step.
 */
export function propose(changes: readonly Change[], step?: object): void {
  undone = undefined;
  push(ChangeSet.of(changes as Change[], built.value.length), step);
}

/** The same for changes to the text. */
export function proposeInText(changes: readonly Change[]): void {
  let over = ChangeSet.of(changes as Change[], base.length).map(parked, true);
  for (const { set } of proposals) over = over.map(set, true);
  undone = undefined;
  push(over);
}

function push(set: ChangeSet, step?: object): void {
  proposals.push({ set, step });
  built.value = after(set, built.value);
  work();
}

/** Resolves when every change is either in the text or pending. */
export async function decided(): Promise<void> {
  if (working === undefined) return;
  await working;
  await decided();
}

function work(): void {
  working ??= decideAll().finally(() => {
    working = undefined;
  });
}

async function decideAll(): Promise<void> {
  for (let proposal = proposals[0]; proposal; proposal = proposals[0]) {
    // If the text changes during a request, the proposal is rebased and checked again.
    const { set } = proposal;
    const shown = after(parked, base);
    const whole = after(set, shown);
    const isWhole = await loads(whole);
    if (isWhole === undefined) return;
    if (proposal !== proposals[0] || proposal.set !== set) continue;
    if (isWhole) {
      proposals.shift();
      commit(parked.compose(set), proposal.step);
      parked = none(base);
      steps = [];
      pending.value = undefined;
      continue;
    }
    const alone = isApart(parked, set, true) ? set.map(parked.invert(Text.of(base.split('\n')))) : undefined;
    const isAlone = alone && !alone.empty && (await loads(after(alone, base)));
    if (proposal !== proposals[0] || proposal.set !== set) continue;
    proposals.shift();
    if (isAlone) {
      follow(set);
      const rest = parked.map(alone);
      commit(alone, proposal.step);
      parked = after(rest, base) === whole ? rest : between(base, whole);
    } else {
      park(proposal, shown);
      parked = parked.compose(set);
    }
    pending.value = errorsOf.get(whole) ?? [];
  }
}

function park({ set, step }: Proposal, shown: string): void {
  if (set.empty) return;
  const back = set.invert(Text.of(shown.split('\n')));
  const last = steps.at(-1);
  if (step && last?.step === step) last.back = back.compose(last.back);
  else steps.push({ back, step, depth: history?.depth() ?? 0 });
}

function commit(set: ChangeSet, step: object | undefined): void {
  const changes: Change[] = [];
  set.iterChanges((from, to, _from, _to, insert) => changes.push({ from, to, insert: insert.toString() }));
  base = after(set, base);
  if (changes.length > 0) history?.apply(changes, step);
  // A locked file keeps its text.
  if (text.peek() !== base) base = text.peek();
}

/** Rebases the undo changes over a later change. */
function follow(set: ChangeSet): void {
  let over = set;
  for (const step of steps.toReversed()) {
    const back = step.back.map(over);
    over = over.map(step.back, true);
    step.back = back;
  }
}

/** Whether two changes neither overlap nor touch. `isAfter`: `set` applies after `waiting`. */
function isApart(waiting: ChangeSet, set: ChangeSet, isAfter: boolean): boolean {
  let isOne = true;
  waiting.iterChangedRanges((...[fromBefore, toBefore, fromAfter, toAfter]) =>
    set.iterChangedRanges((start, end) => {
      const [from, to] = isAfter ? [fromAfter, toAfter] : [fromBefore, toBefore];
      if (start <= to && end >= from) isOne = false;
    }),
  );
  return isOne;
}

/** Errors of recently checked texts, the latest last. */
const errorsOf = new Map<string, readonly ProblemState[]>();

async function errorsIn(of: string): Promise<readonly ProblemState[] | undefined> {
  const known = errorsOf.get(of);
  const answer = known ? undefined : await ask('/studio/config/check', of);
  if (!known && !answer) return undefined;
  const errors =
    known ?? (answer?.ok ? (JSON.parse(answer.text) as ProblemState[]) : [refused(answer?.text)]);
  errorsOf.delete(of);
  errorsOf.set(of, errors);
  for (const first of errorsOf.keys()) if (errorsOf.size > 8) errorsOf.delete(first);
  return errors;
}

/** The problem when the studio does not even check the text, such as because of its size. */
const refused = (message = ''): ProblemState => {
  const nowhere = { line: 0, column: 1, length: 1, path: '', fix: undefined };
  return { ...nowhere, severity: 'error', code: 'refused', message };
};

/**
 * Whether the relay loads a text. If `base` already has errors, the text must not add any where it was changed.
 * `undefined`: the studio does not answer.
 */
async function loads(of: string): Promise<boolean | undefined> {
  if (of === base) return true;
  const errors = await errorsIn(of);
  if (errors === undefined || errors.length === 0) return errors && true;
  const before = await errorsIn(base);
  const known = new Set(before?.map(keyOf));
  const isMended = before?.some((one) => !errors.map(keyOf).includes(keyOf(one)));
  // Fixing an error may reveal others, but not where this change was made.
  const first = changeBetween(base, of);
  const [from, to] = [first.from, first.from + first.insert.length].map(
    (at) => of.slice(0, at).split('\n').length,
  );
  const isHere = ({ line }: ProblemState) => line >= (from ?? 0) && line <= (to ?? 0);
  return before && errors.every((one) => known.has(keyOf(one)) || (isMended && !isHere(one)));
}

const keyOf = ({ code, path, message }: ProblemState) => `${code} ${path} ${message}`;

/** Checks the pending changes again, such as when the studio is back. */
export function retry(): void {
  if (proposals.length === 0 && pending.value) proposals.push({ set: none(built.value), step: undefined });
  if (proposals.length > 0) work();
}

/** Discards pending changes. */
export function drop(): void {
  proposals = [];
  parked = none(base);
  steps = [];
  pending.value = undefined;
  built.value = base;
}

let known: ChangeSet | undefined;
/** Takes the editor's text, and the changes that led to it. */
export function setText(now: string, changes: ChangeSet): void {
  known = changes;
  text.value = now;
  known = undefined;
}

/** When the text changes by typing, undo or another tab, pending changes keep their places in it. */
effect(() => {
  const now = text.value;
  if (now === base) return;
  const typed = known?.length === base.length ? known : between(base, now);
  const isOverwritten = !isApart(parked, typed, false);
  let over = typed.map(parked, true);
  follow(over);
  parked = parked.map(typed);
  base = now;
  let shown = after(parked, base);
  for (const proposal of proposals) {
    const { set } = proposal;
    proposal.set = set.map(over);
    over = over.map(set, true);
    shown = after(proposal.set, shown);
  }
  const isGone = isOverwritten && now !== built.peek();
  built.value = shown;
  if (shown === base || isOverwritten) {
    if (isGone) overwritten.value = overwritten.peek() + 1;
    drop();
    return;
  }
  clearTimeout(retrying);
  retrying = setTimeout(retry, 300);
});

export async function undo(): Promise<void> {
  await decided();
  const last = steps.at(-1);
  if (!last || (history && history.depth() > last.depth)) return history?.undo();
  const shown = built.value;
  steps.pop();
  const over = parked;
  // The remaining pending changes must be checked on their own.
  parked = parked.compose(last.back);
  built.value = after(parked, base);
  undone = { set: last.back.invert(Text.of(shown.split('\n'))), on: built.value };
  if (built.value === base) drop();
  else if (over !== parked) retry();
}

export async function redo(): Promise<void> {
  await decided();
  const { set, on } = undone ?? {};
  if (!set || on !== built.value) return history?.redo();
  undone = undefined;
  push(set);
}
