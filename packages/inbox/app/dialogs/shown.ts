/** The dialog that is open. */
import { signal } from '@preact/signals';
import type { Entry, Letter } from '../../src/api.ts';

type Shown =
  | { readonly kind: 'help' | 'export' | 'person' }
  | { readonly kind: 'again' | 'restore'; readonly letter: Letter }
  | { readonly kind: 'delete'; readonly letter: Entry };

export const dialog = signal<Shown | undefined>(undefined);
export const close = () => {
  dialog.value = undefined;
};
