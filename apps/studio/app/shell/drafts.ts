/** Keeps the editor, the server's draft and the file in step, without losing anything that was typed. */
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

/** The text that is not in the file, kept in this browser until it is saved or discarded: it outlives the page and the studio. */

interface UnsavedText {
  readonly text: string;
  /** With what is pending. */
  readonly built: string;
  /** The version of the file that it was made from. */
  readonly base: string;
  /** The version of the server's draft that it followed. */
  readonly over: string;
}

const keyOf = (file: string) => `form-relay-studio ${file}`;

/** @param unsaved `undefined`: forgets it. */
function keepUnsaved(file: string, unsaved: UnsavedText | undefined): void {
  try {
    if (unsaved) localStorage.setItem(keyOf(file), JSON.stringify(unsaved));
    else localStorage.removeItem(keyOf(file));
  } catch {
    // A browser without room, or that keeps nothing: the studio has the draft.
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

/** Counts questions: an answer to one that another has followed is out of date. */
let questions = 0;
let latest = 0;
/** Begins to ask for a state; the function returned takes the answer in, and says whether it did: not if a later one has come. */
function asking(): (answer: StudioState) => boolean {
  questions += 1;
  const mine = questions;
  return (answer) => {
    // A server that was started meanwhile has the page loaded again.
    if (mine < latest || (state.value && answer.run !== state.value.run)) return false;
    latest = mine;
    state.value = answer;
    takeText(answer.file);
    return true;
  };
}

/** Asks for the state. A server that has stopped answers nothing, and the page says so elsewhere. */
export async function refresh(): Promise<void> {
  const take = asking();
  const answer = await ask(`/studio/state${currentQuery()}`);
  if (answer?.ok) take(JSON.parse(answer.text));
}
onAddress.add(() => void refresh());

/** How long after the last key a draft is sent. */
const pauseMs = 200;

/** The text that the server and the editor last agreed on; `undefined` before the first state. */
const agreed = signal<string | undefined>(undefined);
/** The server's hash of it: a change of another text is that of another tab. */
let agreedVersion = '';
/** A draft is on its way: until the server has said so, nothing that it says replaces what is typed. */
const isSending = signal(false);
/** Something was typed that the server does not have yet. */
export const isAhead = computed(
  () => agreed.value !== undefined && (isSending.value || text.value !== agreed.value),
);
/** The version of the file that `text` was made from. */
let base = '';

/** A question before the file is written, or the reason why it was not. */
export type Question =
  | { readonly kind: 'broken'; readonly how: readonly Sure[] }
  | { readonly kind: 'trouble'; readonly says: string }
  | undefined;
type Sure = 'anyway' | 'broken';
export const question = signal<Question>(undefined);
/** The text on disk that the owner has seen and chose not to take over. */
export const seenTheirs = signal<string | undefined>(undefined);
/** The version of another tab's draft, which the text here was not made from: the owner chooses which to keep. */
export const rival = signal<string | undefined>(undefined);
/** Why the server did not take the text, such as its size. */
export const refused = signal('');

/** Takes in what the server says of the file; a text that changed elsewhere replaces one that is not changed here. */
function takeText(file: FileState): void {
  const isFirst = agreed.value === undefined;
  // Until the server has what is typed here, that is made from the version before.
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

/** Goes on with what this browser kept. If the studio has a draft that this did not follow, the owner chooses. */
function restore(file: FileState): void {
  const kept = unsavedOf(file.id);
  isRestored = true;
  if (!kept || file.locked !== undefined) return;
  const isNext = !file.isDraft || kept.over === file.textVersion || kept.text === file.text;
  base = file.isDraft && isNext ? base : kept.base;
  // The editor begins with the text of the studio, so that this can be undone.
  setTimeout(() => {
    if (!isNext) agreedVersion = kept.over;
    if (kept.text !== text.value) put(kept.text);
    if (kept.built !== kept.text) propose([changeBetween(kept.text, kept.built)]);
    say('Unsaved changes restored.');
  });
}
let isRestored = false;

// Kept at once: the page may go at any time.
effect(() => {
  const file = state.value?.file;
  const unsaved = { text: text.value, built: built.value };
  if (!file || !isRestored) return;
  const isUnsaved = file.isDraft || isAhead.value || unsaved.built !== unsaved.text;
  keepUnsaved(file.id, isUnsaved ? { ...unsaved, base, over: agreedVersion } : undefined);
});

/** Replaces the text: as one step that can be undone, unless the file is locked. */
function put(next: string): void {
  if (editor.value && state.value?.file.locked === undefined)
    editor.value.apply([changeBetween(text.value, next)]);
  else text.value = next;
}

/** Which page changes the config: the server tells it to all others. */
export const me = Math.random().toString(36).slice(2);

let typing: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  if (!isAhead.value) {
    // The text that was refused is gone.
    refused.value = '';
    rival.value = undefined;
    return;
  }
  // Each change restarts the pause.
  text.value;
  question.value = undefined;
  clearTimeout(typing);
  typing = setTimeout(() => void sendDraft(), pauseMs);
});

/** A later question may have been answered before this was written. */
function takeOrAsk(take: (answer: StudioState) => boolean, written: StudioState): void {
  if (!take(written)) void refresh();
}

let turns: Promise<unknown> = Promise.resolve();
/** Queues changes of the server's config: a later draft must overtake neither a draft nor a save. */
function inTurn<T>(change: () => Promise<T>): Promise<T> {
  const turn = turns.then(change);
  turns = turn.catch(() => undefined);
  return turn;
}

/** Sends what was typed, at once; whether the server took it. If the server is gone, it gets the text when it is back. */
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
    // More may have been typed meanwhile; this much the server has.
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

/** Gives up the text here for the draft of the other tab. */
export const takeRival = () =>
  inTurn(() => {
    clearTimeout(typing);
    agreed.value = text.value;
    return refresh();
  });
/** Replaces the draft of the other tab; should that have changed again, the owner has to choose again. */
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

/** Writes the draft into the file, without what is pending. `how`: questions that the owner has answered with yes. */
export const save = (how: readonly Sure[] = []) => write('save', how);
/** Drops the draft, also one that the server does not have yet. */
export const discard = () => write('discard', []);

async function write(deed: 'save' | 'discard', how: readonly Sure[]): Promise<void> {
  clearTimeout(typing);
  settle();
  if (deed === 'save') await decided();
  else drop();
  // Words typed from now on are not meant.
  const meant = text.value;
  return inTurn(() => writeText(meant, deed, how));
}

async function writeText(meant: string, deed: 'save' | 'discard', how: readonly Sure[]): Promise<void> {
  // Only a text that the server took can be saved; the page gives the reason otherwise.
  if (deed === 'save' && !(await sendText(meant))) return;
  if (deed !== 'save') agreed.value = text.value;
  question.value = undefined;
  const take = asking();
  const answer = await ask(`/studio/config/${deed}${withQuery(how.map((one) => [one, '']))}`, '');
  if (!answer?.ok) return;
  const written: Written = JSON.parse(answer.text);
  // Words typed since then are based on the file as it is now.
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

/** Shows the reason no more. */
export const goOn = () => {
  question.value = undefined;
  seenTheirs.value = state.value?.file.overtakenBy;
  editor.value?.focus();
};

// Sends the text typed while the server was away.
effect(() => {
  if (isLost.value) return;
  if (isAhead.peek()) void sendDraft();
  retry();
});
