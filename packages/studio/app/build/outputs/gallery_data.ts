/** The recipes, from the studio's server. */
import { signal } from '@preact/signals';
import type { Recipe } from '../../../src/recipes.ts';
import { loader } from '../../relay.ts';

/** `undefined` until they are loaded. */
export const gallery = signal<readonly Recipe[] | undefined>(undefined);
export const loadGallery = loader<readonly Recipe[]>('/studio/gallery.json', (loaded) => {
  gallery.value = loaded;
});
