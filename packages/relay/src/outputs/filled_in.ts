import { similarIn } from '../base/doubt.ts';
import type { Job } from '../base/job.ts';
import { type Field, labelOf, type Shape } from '../fields/field.ts';
import { asWords } from '../fields/stored_value.ts';
import type { Scope } from '../schema/template/render.ts';
import type { CommonOutput, FormAbout } from './output.ts';

/** A value and its label as the visitor read them: the words of an option, `✓` for a ticked box. */
export interface FilledIn {
  readonly label: string;
  readonly values: readonly string[];
  /** Default: as the values are, on the label's line or below. */
  readonly shape?: Shape | undefined;
}

/** Whether each of its values is an item. */
export const isList = ({ values, shape }: FilledIn): boolean => shape === 'list' || values.length > 1;

interface Configured extends Pick<CommonOutput, 'mapping' | 'static'> {
  readonly form: FormAbout;
}

/**
 * The contents of messages for people: every field in the form's order, or those that `mapping` names, and
 * `static`; and why it is doubted. What is empty is left out.
 *
 * @param places Gets the name of the field at each place.
 */
export function filledIn(
  { form, mapping, static: fixed }: Configured,
  { values, doubt, isWaiting }: Pick<Job, 'values' | 'doubt' | 'isWaiting'>,
  scope: Scope,
  places?: Map<number, string>,
): readonly FilledIn[] {
  const found: FilledIn[] = [];
  const add = (label: string, words: readonly string[], shape?: Shape) => {
    if (words.length > 0) found.push({ label, values: words, shape });
  };
  // A static value overwrites a mapped one, in its place; one that renders empty overwrites nothing.
  const overwriting = fixed && new Map([...fixed].map(([key, value]) => [key, value.render(scope)]));
  const addField = (key: string, label: string, name: string, field: Field | undefined) => {
    const text = overwriting?.get(key);
    overwriting?.delete(key);
    const before = found.length;
    const words = asWords(field, values.get(name) ?? [], label);
    if (text) add(label, [text]);
    // Its numbers stand for the bullets of a list.
    else if (field?.isOrdered && words.length > 0) add(label, [words.join('\n')], 'block');
    else add(label, words, field?.parts?.shape);
    if (found.length > before) places?.set(before, name);
  };
  if (mapping instanceof Map) {
    for (const [key, name] of mapping) {
      const field = form.fields.find((one) => one.name === name);
      addField(key, key, name, field);
    }
  } else {
    for (const field of asRead(form.fields)) addField(field.name, labelOf(field), field.name, field);
  }
  if (overwriting) for (const [label, text] of overwriting) add(label, text ? [text] : []);
  if (isWaiting) add(form.waitingLabel, ['✓']);
  if (doubt !== undefined) add(form.doubtLabel, [form.doubtWords(doubt, similarIn(values))]);
  return found;
}

/** A drawing stands behind the signature that it belongs to. Elsewhere, all drawings are behind the other fields. */
function asRead(fields: readonly Field[]): readonly Field[] {
  if (!fields.some(({ drawingOf }) => drawingOf)) return fields;
  const placeOf = (field: Field) => {
    const owner = fields.findIndex(({ name }) => name === field.drawingOf);
    return owner < 0 ? fields.indexOf(field) : owner;
  };
  return fields.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Text for people: it reads as it is. */

const isHarmless = /^[ -~]*$/;

/** The same as `withoutControls`, with its tabs. */
export const readable = (text: string): string =>
  isHarmless.test(text)
    ? text
    : text
        .replaceAll(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
        .replaceAll(
          /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/g,
          '',
        )
        .replaceAll(/[\ud800-\udfff]/gu, '\ufffd');

/**
 * Without controls, and without what turns the direction of text, so that what is read is what is there. A line break is
 * one LF.
 */
export const withoutControls = (text: string): string => readable(text).replaceAll('\t', '    ');

/** Without surrounding space and repeated empty lines. */
export const plain = (text: string): string =>
  isHarmless.test(text)
    ? text.trim()
    : withoutControls(text)
        .replaceAll(/\n\s*\n/g, '\n\n')
        .trim();

export const plainLine = (text: string): string => plain(text).replaceAll(/\n+/g, ' ');
