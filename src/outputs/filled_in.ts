import type { Field } from '../fields/field.ts';
import { labelOf } from '../fields/label.ts';
import type { Job } from '../job.ts';
import type { Scope, Template } from '../template/render.ts';
import { inLabels } from '../values.ts';
import type { CommonOutput, FormAbout } from './output.ts';

/** What was filled in under a label, as the visitor read it: the words of what was chosen, `✓` for a ticked box. */
export interface FilledIn {
  readonly label: string;
  readonly values: readonly string[];
}

interface Configured extends Pick<CommonOutput, 'mapping' | 'static'> {
  readonly form: FormAbout;
}

/**
 * What outputs say that are written for people: every field in the form's order, or those that `mapping` names, and
 * `static`; and how much it is doubted. What is empty is left out.
 */
export function filledIn(
  { form, mapping, static: fixed }: Configured,
  { values, doubt }: Pick<Job, 'values' | 'doubt'>,
  scope: Scope,
): readonly FilledIn[] {
  const fields = new Map(form.fields.map((field) => [field.name, field]));
  const named =
    mapping instanceof Map
      ? [...mapping].map(([key, name]) => ({ key, name, label: key }))
      : form.fields.map((field) => ({ key: field.name, name: field.name, label: labelOf(field) }));
  // A static value overwrites a mapped one, in its place; one that renders empty overwrites nothing.
  const overwriting = new Map(
    [...(fixed ?? new Map<string, Template>())].map(([key, value]) => [key, value.render(scope)]),
  );
  const keys = new Set(named.map(({ key }) => key));
  return [
    ...named.map(({ key, name, label }) => ({
      label,
      values: wordsOr(overwriting.get(key), () => inWords(fields.get(name), values.get(name) ?? [])),
    })),
    ...[...overwriting]
      .filter(([key]) => !keys.has(key))
      .map(([label, value]) => ({ label, values: wordsOr(value, () => []) })),
    { label: form.doubtLabel, values: doubt === undefined ? [] : [doubt] },
  ].filter(({ values }) => values.length > 0);
}

const wordsOr = (text: string | undefined, otherwise: () => readonly string[]): readonly string[] =>
  text ? [text] : otherwise();

function inWords(field: Field | undefined, submitted: readonly string[]): readonly string[] {
  const words = inLabels(submitted, field?.options);
  return field?.inJson === 'flag' && words.length > 0 ? ['✓'] : words;
}
