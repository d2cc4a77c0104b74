import type { Letter } from './letter.ts';
import { letterHtml } from './letter_html.ts';
import { letterText } from './letter_text.ts';
import { wordsOfLetter } from './letter_words.ts';

/** The letter as text and as HTML, which say the same in the same order. */
export function letterInBoth(letter: Letter): { readonly text: string; readonly html: string } {
  const words = wordsOfLetter(letter);
  return { text: letterText(words), html: letterHtml(words) };
}
