/** The dialog that is open. */
import { signal } from '@preact/signals';
import type { Entry, Letter } from '../../src/api.ts';

type Shown =
  | { readonly kind: 'help' | 'person' }
  /** Without `ids`, the current view. */
  | { readonly kind: 'export'; readonly ids?: readonly string[] }
  | { readonly kind: 'again' | 'restore'; readonly letter: Letter }
  /** `of`: how many are selected; those that the person may not delete stay. Absent for one alone. */
  | { readonly kind: 'delete'; readonly entries: readonly Entry[]; readonly of?: number };

export const dialog = signal<Shown | undefined>(undefined);
export const close = () => {
  dialog.value = undefined;
};
