/** Sealed submissions as this page has opened them. */
import { computed, effect, signal } from '@preact/signals';
import type { ActionAsked } from '../../src/api.ts';
import { wordsOf } from '../ask.ts';
import type { Sealed } from './sealed.ts';
import type { SealedRow } from './sealed_index.ts';

type Part = typeof import('./sealed_part.ts');

const part = signal<{ readonly code: Part; readonly sealed: Sealed } | undefined>(undefined);

/** What asks for the identity, while it is asked for. */
export const asking = signal<
  { readonly Dialog: Part['IdentityDialog']; readonly sealed: Sealed } | undefined
>(undefined);
/** `undefined` while nothing is open. */
export const unlocked = computed(() => (part.value?.sealed.isUnlocked.value ? part.value.sealed : undefined));

/** Throws in words if its code does not arrive. @param place Names the inbox. */
export async function askForIdentity(place: string): Promise<void> {
  if (!part.value) {
    const code = await import('./sealed_part.ts').catch(() => {
      throw new Error('The inbox does not answer. Does it still run?');
    });
    part.value ??= { code, sealed: code.createSealed(place) };
  }
  const { code, sealed } = part.value;
  asking.value = { Dialog: code.IdentityDialog, sealed };
}

/** What was opened is looked at again, such as before delivering it again: the server has no values of its own. */
export async function withValues(id: string, asked: ActionAsked): Promise<ActionAsked> {
  if (asked.action !== 'again' && asked.action !== 'restore') return asked;
  const { code, sealed } = part.peek() ?? {};
  if (!code || !sealed) throw new Error('Open the sealed submission first.');
  const whole = await code.openWhole(sealed, id);
  if (!whole.ok) throw new Error(whole.error);
  return { ...asked, opened: whole.value };
}

/** Open submissions of one person, and how many stay shut. Nothing is open: `undefined`. */
export async function openOf(email: string) {
  const { code, sealed } = part.peek() ?? {};
  if (!code || !sealed?.isUnlocked.peek()) return undefined;
  const { opened = 0, of = 0 } = sealed.progress.peek() ?? {};
  return { rows: await code.findPerson(sealed, email), shut: of - opened };
}

const rows = signal<ReadonlyMap<string, SealedRow>>(new Map());
let wanted = new Set<string>();

/** A line of the list, once it is open. */
export function sealedRow(id: string): SealedRow | undefined {
  const found = rows.value.get(id);
  const sealed = unlocked.value;
  if (!found && sealed) {
    if (wanted.size === 0) queueMicrotask(() => void readRows(sealed));
    wanted.add(id);
  }
  return found;
}

async function readRows(sealed: Sealed): Promise<void> {
  const ids = [...wanted];
  wanted = new Set();
  const found = await sealed.rows(ids).catch(() => []);
  const known = found.flatMap((row) => (row ? [[row.id, row] as const] : []));
  if (known.length > 0) rows.value = new Map([...rows.peek(), ...known]);
}

/** With more open than before, lines of the list ask again. */
effect(() => {
  rows.value = unlocked.value?.progress.value ? new Map(rows.peek()) : new Map();
});

export function refresh(): void {
  unlocked
    .peek()
    ?.refresh()
    .catch(() => undefined);
}

export const lock = (): void => part.peek()?.sealed.lock();

export const search = (sealed: Sealed, text: string) =>
  sealed.search(text).then(
    (ids) => ({ ids, problem: undefined }),
    (error: unknown) => ({ ids: [], problem: wordsOf(error) }),
  );
