/** Shared by field types that are made of parts. */
import * as v from 'valibot';
import { type Html, html } from '../base/html.ts';
import { labelled } from '../base/values.ts';
import type { Spread, Steps } from '../bodies/sent.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { type Field, labelOf, type PartKeys, type RenderedPart } from './field.ts';
import type { FieldType, Written } from './field_type.ts';
import { asWords, fromJson } from './stored_value.ts';

/** Of one field. */
export const mostParts = 500;

/** A part of a type that no config names. */
export const makePart = (type: FieldType, keys: PartKeys & Readonly<Record<string, unknown>>): Field =>
  v.parse(type.schema, { name: 'part' }).withKeys(keys);

/** The member of a map that people or programs sent, however it is called. */
export const memberOf = (value: unknown, name: string): unknown =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** What a JSON body may have for nothing. */
const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

/** For a field whose value is a map. */
export const spreadOf =
  (name: string, steps: Steps = [name]) =>
  (value: unknown): Spread => {
    if (isNothing(value)) return { found: [] };
    if (!isMap(value)) return { found: [], wrong: { shape: '{…}', steps } };
    return {
      found: Object.entries(value).map(([part, one]) => [`${name}.${part}`, one, [...steps, part]] as const),
    };
  };

/** For a field whose value is a list of maps. */
export const spreadOfEntries =
  (name: string) =>
  (value: unknown): Spread => {
    if (isNothing(value)) return { found: [] };
    if (!Array.isArray(value)) return { found: [], wrong: { shape: '[{…}]', steps: [name] } };
    const each = value.map((one, index) => spreadOf(`${name}.${index + 1}`, [name, index])(one));
    return { found: each.flatMap(({ found }) => found), wrong: each.find(({ wrong }) => wrong)?.wrong };
  };

/** A line for people; `undefined` where there is nothing to say. No value of one line becomes several. */
export function lineOf(part: Field, value: unknown): string | undefined {
  const words = wordsOf(part, value);
  return words === '' ? undefined : labelled(labelOf(part), words);
}

export const wordsOf = (part: Field, value: unknown): string =>
  asWords(part, fromJson(part, value))
    .map((one) => (part.type === 'textarea' ? one : one.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ')))
    .join(', ');

/** Narrower parts that follow each other stand side by side. */
export function inRows(parts: readonly RenderedPart[]): readonly Html[] {
  const rows: Html[][] = [];
  let open: Html[] | undefined;
  for (const { part, markup } of parts) {
    if (part.width === 'full') open = undefined;
    if (open) open.push(markup);
    else rows.push([markup]);
    if (part.width !== 'full') open ??= rows.at(-1);
  }
  return rows.map((row) => (row.length > 1 ? html`<div class="field-row">\n${row}</div>\n` : html`${row}`));
}

/** No other field may be sent under a name that looks like that of a part. */
export const namesOfParts = (_: Written, index: number, fields: readonly Written[]): readonly Finding[] =>
  fields.flatMap(({ name }, at) => {
    const own = fields[index]?.name;
    return typeof name === 'string' && typeof own === 'string' && name.startsWith(`${own}.`)
      ? [finding('field_named_as_part', ['fields', at, 'name'], { name, of: own })]
      : [];
  });
