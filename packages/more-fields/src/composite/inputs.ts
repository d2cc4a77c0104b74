/** What field types that consist of inputs share. */
import type { Field, Html, Locale, Values } from '@form-relay/core/index';
import { fromJson, html, isMap, labelled, labelOf } from '@form-relay/core/kit';

/** Of one field. */
export const mostInputs = 500;

export const valueMistake = 'a field that is made of several fields has no initial value; leave it out';

/** The member of a map that people or programs sent, however it is called. */
export const memberOf = (value: unknown, name: string): unknown =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** By the names that they have in the value. */
type Members = readonly (readonly [name: string, input: Field])[];

/** What was sent of them, as JSON. */
export const gathered = (members: Members, values: Values): Record<string, unknown> =>
  Object.fromEntries(
    members
      .map(([name, input]) => [name, input.json(values.get(input.name) ?? [])] as const)
      .filter(([, value]) => value !== undefined),
  );

/** A line for people for each that says something. */
export const linesOf = (members: Members, value: unknown, locale: Locale): string =>
  members
    .flatMap(([name, input]) => {
      const words = wordsOf(input, memberOf(value, name), locale);
      return words === '' ? [] : labelled(labelOf(input, locale), words);
    })
    .join('\n');

/** No value of one line becomes several. */
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
