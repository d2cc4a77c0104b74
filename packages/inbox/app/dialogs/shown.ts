/** The dialog that is open. */
import { signal } from '@preact/signals';
import type { Letter } from '../../src/api.ts';

type Shown =
  | { readonly kind: 'help' | 'export' | 'person' }
  | { readonly kind: 'again' | 'delete' | 'restore'; readonly letter: Letter };

export const dialog = signal<Shown | undefined>(undefined);
export const close = () => {
  dialog.value = undefined;
};
