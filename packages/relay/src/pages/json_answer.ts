import type { RelayResponse } from '../base/http.ts';
import { hasLinks, withLinks, withoutLinks } from '../schema/linked_text.ts';

export const jsonAnswer = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** The owner's words as text, and as markup (`<key>_html`) where they hold a link. */
export const textAndMarkup = (key: string, words: string | undefined): object =>
  words === undefined
    ? {}
    : {
        [key]: withoutLinks(words),
        ...(hasLinks(words) && { [`${key}_html`]: withLinks(words).toString() }),
      };
