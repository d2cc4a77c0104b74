/** Where the form is, and whom those tell who look after it there (form_hand.ts). */
import { showKey } from './editor.ts';
import { frame, stage } from './page_parts.ts';

export const formPage = (): Document | null => frame.contentDocument;

/** Shows where the config declares something of the form, such as `fields.email`. */
export const pointAt = (key: string) => showKey(stage().form ?? '', key);

/** The page is so high, in CSS pixels. */
export const grow = (height: number) => {
  frame.style.height = `${Math.max(height, 160)}px`;
};
