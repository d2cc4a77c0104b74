/** The recipes, from the studio's server. */
import { signal } from '@preact/signals';
import type { Recipe } from '../../../src/recipes.ts';
import { ask } from '../../relay.ts';

/** `undefined` until they are loaded. */
export const gallery = signal<readonly Recipe[] | undefined>(undefined);
let loading: Promise<void> | undefined;

/** Loads it once; after a failure, the next call tries again. */
export function loadGallery(): Promise<void> {
  loading ??= ask('/studio/gallery.json').then((answer) => {
    if (answer?.ok) gallery.value = JSON.parse(answer.text);
    else loading = undefined;
  });
  return loading;
}
