/** Synchronizes the editor, the server's draft and the file, without losing anything typed. */
import { batch, computed, effect, signal } from '@preact/signals';
import { changeBetween } from '../../edit/edit.ts';
import {
  type FileState,
  maxDraftBytes,
  type StudioState,
  tooLongToEdit,
  type Written,
} from '../../src/state.ts';
import { built, decided, drop, overwritten, pending, propose, retry } from '../pending.ts';
import { ask } from '../relay.ts';
import { editor, isLost, notice, say, settle, state, text } from '../store.ts';
import { currentQuery, onAddress } from './address.ts';

/** Unsaved text is stored in this browser until it is saved or discarded, so it survives closing the page or the studio. */

interface UnsavedText {
  readonly text: string;
  /** The text with pending changes. */
  readonly built: string;
  /** The file version on which it is based. */
  readonly base: string;
  /** The version of the server's draft on which it is based. */
  readonly over: string;
}

const keyOf = (file: string) => `form-relay-studio ${file}`;

/** @param unsaved `undefined` deletes it. */
function keepUnsaved(file: string, unsaved: UnsavedText | undefined): void {
  try {
    if (unsaved) localStorage.setItem(keyOf(file), JSON.stringify(unsaved));
    else localStorage.removeItem(keyOf(file));
  } catch {
    // If the browser's storage is full or disabled, the studio still has the draft.
  }
}

function unsavedOf(file: string): UnsavedText | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(file)) ?? 'null');
    return kept ?? undefined;
  } catch {
    return undefined;
  }
}

/** Numbers requests, so that late answers can be ignored. */
let questions = 0;
let latest = 0;
/**
 * Starts a request for the state. The returned function applies the answer unless a later one has already
 * been applied, and returns whether it did.
 */
function asking(): (answer: StudioState) => boolean {
  questions += 1;
  const mine = questions;
  return (answer) => {
    // The server was restarted, so the page reloads.
    if (mine < latest || (state.value && answer.run !== state.value.run)) return false;
    latest = mine;
    state.value = answer;
    takeText(answer.file);
    return true;
  };
}

/** Requests the state. If the server has stopped, another part of the page says so. */
export async function refresh(): Promise<void> {
  const take = asking();
  const answer = await ask(`/studio/state${currentQuery()}`);
  if (answer?.ok) take(JSON.parse(answer.text));
}
onAddress.add(() => void refresh());

/** A draft is sent this long after the last keystroke. */
const pauseMs = 200;

/** The text that the server and the editor last agreed on; `undefined` before the first state. */
const agreed = signal<string | undefined>(undefined);
/** The server's hash of that text. A different hash means that another tab changed the draft. */
let agreedVersion = '';
/** Whether a draft is being sent: until the server confirms it, its answers do not replace the typed text. */
const isSending = signal(false);
/** Whether the editor has text that the server does not have yet. */
export const isAhead = computed(
  () => agreed.value !== undefined && (isSending.value || text.value !== agreed.value),
);
/** The file version on which `text` is based. */
let base = '';

/** A question before the file is written, or the reason why writing failed. */
export type Question =
  | { readonly kind: 'broken'; readonly how: readonly Sure[] }
  | { readonly kind: 'trouble'; readonly says: string }
  | undefined;
type Sure = 'anyway' | 'broken';
export const question = signal<Question>(undefined);
/** The text on disk that the owner has seen and declined. */
export const seenTheirs = signal<string | undefined>(undefined);
/** The version of another tab's conflicting draft: the owner chooses which one to keep. */
export const rival = signal<string | undefined>(undefined);
/** Why the server rejected the text, such as its size. */
export const refused = signal('');

/** Applies the server's version of the file. A text changed elsewhere replaces the editor's, unless that has changed, too. */
function takeText(file: FileState): void {
  const isFirst = agreed.value === undefined;
  // Unsent text is still based on the previous version.
  if (isFirst || (!file.isDraft && !isAhead.value)) base = file.version;
  const isHere = file.text === text.value;
  if (isFirst || isHere || !isAhead.value) {
    batch(() => {
      agreed.value = file.text;
      if (isFirst) text.value = file.text;
    });
    agreedVersion = file.textVersion;
    if (!isFirst && !isHere) put(file.text);
  }
  if (isFirst) restore(file);
  if (file.overtakenBy === undefined) seenTheirs.value = undefined;
}

/** Restores the text stored in this browser. If the studio has a different draft, the owner chooses. */
function restore(file: FileState): void {
  const kept = unsavedOf(file.id);
  isRestored = true;
  if (!kept || file.locked !== undefined) return;
  const isNext = !file.isDraft || kept.over === file.textVersion || kept.text === file.text;
  base = file.isDraft && isNext ? base : kept.base;
  // The editor starts with the studio's text, so that restoring can be undone.
  setTimeout(() => {
    if (!isNext) agreedVersion = kept.over;
    if (kept.text !== text.value) put(kept.text);
    if (kept.built !== kept.text) propose([changeBetween(kept.text, kept.built)]);
    say('Unsaved changes restored.');
  });
}
let isRestored = false;

// Stored immediately, because the page may close at any time.
effect(() => {
  const file = state.value?.file;
  const unsaved = { text: text.value, built: built.value };
  if (!file || !isRestored) return;
  const isUnsaved = file.isDraft || isAhead.value || unsaved.built !== unsaved.text;
  keepUnsaved(file.id, isUnsaved ? { ...unsaved, base, over: agreedVersion } : undefined);
});

/** Replaces the text in one undo step, unless the file is locked. */
function put(next: string): void {
  if (editor.value && state.value?.file.locked === undefined)
    editor.value.apply([changeBetween(text.value, next)]);
  else text.value = next;
}

/** Identifies this page, so that the server notifies all others of its changes. */
export const me = Math.random().toString(36).slice(2);

let typing: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  if (!isAhead.value) {
    // The rejected text was replaced.
    refused.value = '';
    rival.value = undefined;
    return;
  }
  // Read here, so that each change restarts the delay.
  text.value;
  question.value = undefined;
  clearTimeout(typing);
  typing = setTimeout(() => void sendDraft(), pauseMs);
});

/** A later answer may have arrived while this was written. */
function takeOrAsk(take: (answer: StudioState) => boolean, written: StudioState): void {
  if (!take(written)) void refresh();
}

let turns: Promise<unknown> = Promise.resolve();
/** Queues changes to the server's config: a later draft must not overtake an earlier draft or a save. */
function inTurn<T>(change: () => Promise<T>): Promise<T> {
  const turn = turns.then(change);
  turns = turn.catch(() => undefined);
  return turn;
}

/**
 * Sends the typed text immediately. Returns whether the server accepted it. If the server is down, sends it
 * when the server is back.
 */
export function sendDraft(): Promise<boolean> {
  clearTimeout(typing);
  return inTurn(() => sendText(text.value));
}

async function sendText(sent: string): Promise<boolean> {
  if (sent === agreed.value) return true;
  if (new Blob([sent]).size > maxDraftBytes) {
    refused.value = tooLongToEdit;
    return false;
  }
  const take = asking();
  isSending.value = true;
  const answer = await ask(`/studio/config/draft${withQuery([['on', base]])}`, sent);
  const written: Written | undefined = answer?.ok ? JSON.parse(answer.text) : undefined;
  batch(() => {
    // The server has this text, even if more was typed meanwhile.
    if (written && !written.isOutdated) {
      agreed.value = sent;
      if (written.state.file.text === sent) agreedVersion = written.state.file.textVersion;
    }
    isSending.value = false;
  });
  if (!answer) return false;
  refused.value = written ? '' : answer.text;
  if (!written) return false;
  rival.value = written.isOutdated ? written.state.file.textVersion : undefined;
  takeOrAsk(take, written.state);
  return agreed.value === sent;
}

/** Replaces the text here by the other tab's draft. */
export const takeRival = () =>
  inTurn(() => {
    clearTimeout(typing);
    agreed.value = text.value;
    return refresh();
  });
/** Replaces the other tab's draft. If that draft has changed again, the owner must choose again. */
export function replaceRival(): Promise<boolean> {
  agreedVersion = rival.value ?? agreedVersion;
  rival.value = undefined;
  return sendDraft();
}

const withQuery = (more: readonly (readonly [name: string, value: string])[]) =>
  `?${new URLSearchParams([
    ...new URLSearchParams(currentQuery()),
    ...more.map(([name, value]) => [name, value]),
    ['over', agreedVersion],
    ['by', me],
  ])}`;

/** Writes the draft to the file, without pending changes. `how`: questions that the owner has confirmed. */
export const save = (how: readonly Sure[] = []) => write('save', how);
/** Discards the draft, including text not yet sent. */
export const discard = () => write('discard', []);

async function write(deed: 'save' | 'discard', how: readonly Sure[]): Promise<void> {
  clearTimeout(typing);
  settle();
  if (deed === 'save') await decided();
  else drop();
  // Later typing is not part of this save.
  const meant = text.value;
  return inTurn(() => writeText(meant, deed, how));
}

async function writeText(meant: string, deed: 'save' | 'discard', how: readonly Sure[]): Promise<void> {
  // Only text that the server has accepted can be saved; otherwise the page shows the reason.
  if (deed === 'save' && !(await sendText(meant))) return;
  if (deed !== 'save') agreed.value = text.value;
  question.value = undefined;
  const take = asking();
  const answer = await ask(`/studio/config/${deed}${withQuery(how.map((one) => [one, '']))}`, '');
  if (!answer?.ok) return;
  const written: Written = JSON.parse(answer.text);
  // Text typed since then is based on the new file.
  if (deed === 'save' && !written.state.file.isDraft) base = written.state.file.version;
  takeOrAsk(take, written.state);
  if (written.isOutdated) notice.value = `Another tab changed the config. Read it, then ${deed} again.`;
  else if (written.trouble !== undefined) question.value = { kind: 'trouble', says: written.trouble };
  else if (written.isBroken) question.value = { kind: 'broken', how: [...how, 'broken'] };
  else if (written.isChanged) seenTheirs.value = undefined;
  else if (pending.value && deed === 'save') say('Saved, without the parts that are not in the config yet.');
  else say({ save: 'Saved.', discard: 'Discarded.' }[deed]);
}

effect(() => {
  if (overwritten.value > 0)
    notice.value =
      'A part that was not in the config yet was lost, because the text in its place was changed.';
});

/** Hides the reason. */
export const goOn = () => {
  question.value = undefined;
  seenTheirs.value = state.value?.file.overtakenBy;
  editor.value?.focus();
};

// Sends text typed while the server was down.
effect(() => {
  if (isLost.value) return;
  if (isAhead.peek()) void sendDraft();
  retry();
});
