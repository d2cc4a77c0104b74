import { linkField } from '../api_urls.ts';
import type { FieldError } from '../base/outcome.ts';
import { firstValue, type Values, withoutEmpty } from '../base/values.ts';
import { inputsOf, visibleFields } from '../fields/field.ts';
import { withResults } from '../fields/meaning.ts';
import type { AnswerContext, Form, FormView } from '../form.ts';
import { addressBase, declaredValues } from './form_shown_first.ts';

/** A form as its sender gets it back: with all that was typed, and the waiting done so far. */
export function shownAgain(
  form: Form,
  context: AnswerContext,
  { errors, messages, medium }: Pick<FormView, 'errors' | 'messages' | 'medium'>,
): FormView {
  const { request, settings, sent = new Map(), sentFiles } = context;
  const isPlain = medium === 'plain';
  return {
    base: addressBase(request, settings.publicUrl, medium),
    ...refilled(form, sentFiles ? withFiles(sent, sentFiles) : sent, errors),
    errors: isPlain && sentFiles ? withForgotten(form, errors, sentFiles) : errors,
    forgotten: isPlain ? withWrongOnes(form, errors, sentFiles) : sentFiles,
    messages,
    link: form.answers.filling?.(form, firstValue(sent, linkField), context),
    answer: context,
    medium,
  };
}

/** Conditions ask whether a field is filled. */
const withFiles = (sent: Values, names: ReadonlySet<string>): Values =>
  new Map([...sent, ...[...names].map((name) => [name, ['file']] as const)]);

/** Asks for files again: browsers forget those of a form that comes back in another page. */
function withForgotten(
  { fields }: Form,
  errors: readonly FieldError[],
  names: ReadonlySet<string>,
): readonly FieldError[] {
  const known = new Set(errors.map(({ field }) => field));
  const forgotten = fields
    .filter(({ name, takeFiles }) => takeFiles && names.has(name) && !known.has(name))
    .map(({ name }): FieldError => ({ field: name, code: 'file_choose_again' }));
  const placeOf = ({ field }: FieldError) => fields.findIndex(({ name }) => name === field);
  return [...errors, ...forgotten].sort((one, other) => placeOf(one) - placeOf(other));
}

/** The fields of several files of which one was wrong: it is told, and that the others are forgotten, too. */
const withWrongOnes = (
  { fields }: Form,
  errors: readonly FieldError[],
  names: ReadonlySet<string> = new Set(),
): ReadonlySet<string> =>
  new Set(
    fields.flatMap(({ name, takesSeveral }) =>
      takesSeveral && names.has(name) && errors.some(({ field }) => field === name) ? name : [],
    ),
  );

/**
 * All that was sent, so that a correction loses none of it: the `values` that fields show, and the `carried` ones that
 * no control shows. Those are further values of a field that shows one, and values that an output uses and no field has;
 * wrong ones among the latter are left out, since nobody could correct them.
 */
function refilled(
  form: Form,
  sent: Values,
  errors: readonly FieldError[],
): Pick<FormView, 'values' | 'seen' | 'carried'> {
  const renumbered = form.fields.reduce((all, { parts }) => parts?.renumbered?.(all) ?? all, sent);
  const values = new Map(withResults(declaredValues(form.inputs, renumbered), form.fields));
  const seen = inputsOf(visibleFields(form.fields, values));
  const errorOf = new Map(errors.map((error) => [error.field, error]));
  const declared = new Set(form.inputs.map(({ name }) => name));
  const carried = new Map<string, readonly string[]>();
  for (const [name, all] of sent) {
    if (form.usedNames.has(name) && !declared.has(name) && !errorOf.has(name)) carried.set(name, all);
  }
  for (const { name, possibleValues, takeFiles, takesOne } of seen) {
    const filled = withoutEmpty(values.get(name) ?? []);
    if (possibleValues || takeFiles || takesOne || filled.length < 2) continue;
    // The control shows the first value, so the wrong one comes first. If others are wrong, they are shown later.
    const at = errorOf.get(name)?.at ?? 0;
    const further = filled.toSpliced(at, 1);
    values.set(name, [...filled.slice(at, at + 1), ...further]);
    carried.set(name, further);
  }
  return { values, seen, carried };
}
