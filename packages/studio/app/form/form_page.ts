/** Where the form is, and what to tell of it there (form_hand.ts). */
import { frame } from './frame.ts';
import { pointAtKey } from './point_at.ts';

export const formPage = (): Document | null => frame.contentDocument;

/** Shows where the config declares something of the form, such as `fields.email`. */
export const pointAt = pointAtKey;

/** The page is so high, in CSS pixels. */
export const grow = (height: number) => {
  frame.style.height = `${Math.max(height, 160)}px`;
};
