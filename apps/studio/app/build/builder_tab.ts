import { signal } from '@preact/signals';
import { go, showPane } from '../shell/address.ts';

/** The part of the form that is built: fields, outputs or protection. */
export const builderTab = signal('fields');

/** Where the owner chooses what gets the form's submissions. */
export function showOutputs(form: string): void {
  go({ form });
  showPane('build');
  builderTab.value = 'outputs';
  requestAnimationFrame(() => document.getElementById('build-outputs')?.focus());
}
