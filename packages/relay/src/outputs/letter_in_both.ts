import type { Mail } from '../base/effects.ts';
import type { Letter } from './letter.ts';
import { letterHtml } from './letter_html.ts';
import { letterText } from './letter_text.ts';
import { wordsOfLetter } from './letter_words.ts';

export interface InBoth extends Pick<Mail, 'text' | 'htmlStart'> {
  readonly html: string;
}

/** The letter as text and as HTML, which say the same in the same order. */
export function letterInBoth(letter: Letter): InBoth {
  const words = wordsOfLetter(letter);
  const { html, htmlStart } = letterHtml(words);
  return { text: letterText(words), html, htmlStart };
}
