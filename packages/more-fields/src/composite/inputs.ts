/** What field types that consist of inputs share. */
import type { Field, Html, Locale } from '@form-relay/core/index';
import { fromJson, html, isMap, labelled, labelOf } from '@form-relay/core/kit';

/** Of one field. */
export const mostInputs = 500;

export const valueMistake = 'a field that is made of several fields has no initial value; leave it out';

/** The member of a map that people or programs sent, however it is called. */
export const memberOf = (value: unknown, name: string): unknown =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A line for people; `undefined` where there is nothing to say. No value of one line becomes several. */
export function lineOf(input: Field, value: unknown, locale: Locale): string | undefined {
  const words = wordsOf(input, value, locale);
  return words === '' ? undefined : labelled(labelOf(input, locale), words);
}

export const wordsOf = (input: Field, value: unknown, locale: Locale): string =>
  input
    .words(fromJson(input, value), locale)
    .map((one) => (input.type === 'textarea' ? one : one.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ')))
    .join(', ');

/** Narrower inputs that follow each other stand side by side. */
export function inRows(inputs: readonly Field[], render: (input: Field) => Html): readonly Html[] {
  const rows: Html[][] = [];
  let open: Html[] | undefined;
  for (const input of inputs) {
    const isFull = (input.width ?? 'full') === 'full';
    if (isFull) open = undefined;
    if (open) open.push(render(input));
    else rows.push([render(input)]);
    if (!isFull) open ??= rows.at(-1);
  }
  return rows.map((row) => (row.length > 1 ? html`<div class="field-row">\n${row}</div>\n` : html`${row}`));
}
