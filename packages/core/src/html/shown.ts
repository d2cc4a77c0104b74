/** The content of a form: when it is first shown, or after a failed submission. */
import {
  type Files,
  type SentFile,
  type Values,
  withNamesOfFiles,
  withoutEmpty,
} from '@form-relay/base/values';
import { visibleFields } from '@form-relay/schema/condition';
import { type Field, inputsOf, normalized } from '../fields/field.ts';
import type { Form } from '../form.ts';
import type { FieldError } from '../submission.ts';
import { slotElementId } from './element_ids.ts';
import type { Shown } from './form_view.ts';

/** Submitted values of the form's inputs, without inputs of features. */
const declaredValues = ({ inputs }: Form, sent: Values): Map<string, readonly string[]> =>
  new Map(
    inputs.flatMap(({ name, normalize }) => {
      const values = sent.has(name) ? (normalize ? normalize(sent) : sent.get(name)) : undefined;
      return values ? [[name, values] as const] : [];
    }),
  );

/** A form as GET shows it, with values from the query. `asking` is the id of the slot that asks for other fields. */
export const shownFirst = (
  form: Form,
  query: Values,
  asking: string | undefined,
): Pick<Shown, 'values' | 'seen' | 'errors' | 'isLoaded'> => ({
  values: declaredValues(form, query),
  seen: asking === undefined ? [] : seenBy(asking, form),
  isLoaded: asking !== undefined,
  errors: [],
});

/** The fields in view when one of them asks for others. The other conditional ones in view have values, even if empty. */
const seenBy = (asking: string, form: Form): readonly Field[] =>
  inputsOf(
    form.fields.filter(({ name, visible_when }) => !visible_when || slotElementId(form, name) === asking),
  );

/**
 * A form after a failed submission, with everything that was typed: in its fields, or carried along if no control shows
 * it, such as a field's further values. Invalid undeclared values are omitted, since the visitor could not correct them.
 */
export function shownAgain(
  form: Form,
  sent: Values,
  files: Files<SentFile>,
  errors: readonly FieldError[],
): Pick<Shown, 'values' | 'seen' | 'errors' | 'carried'> {
  const { inputs } = form;
  const meant = withNamesOfFiles(normalized(sent, form, files), files);
  const values = new Map(
    inputs.flatMap(({ name }) => (meant.has(name) ? [[name, meant.get(name) ?? []] as const] : [])),
  );
  const seen = inputsOf(visibleFields(form.fields, values));
  const errorOf = new Map(errors.map((error) => [error.field, error]));
  const declared = new Set(inputs.map(({ name }) => name));
  const carried = new Map<string, readonly string[]>();
  for (const [name, all] of sent)
    if (form.usedNames.has(name) && !declared.has(name) && !errorOf.has(name) && withoutEmpty(all).length > 0)
      carried.set(name, all);
  for (const { name, offered, takesOne, takeFiles } of seen) {
    const filled = withoutEmpty(values.get(name) ?? []);
    if (offered || takesOne || takeFiles || filled.length < 2) continue;
    // The control shows the first value, so the invalid one comes first. Others are shown after later attempts.
    const at = errorOf.get(name)?.at ?? 0;
    const further = filled.toSpliced(at, 1);
    values.set(name, [...filled.slice(at, at + 1), ...further]);
    carried.set(name, further);
  }
  return { values, seen, carried: limited(carried), errors };
}

/** More than any real form has in values without a control. Each takes ten times its size as an input. */
const mostCarried = 1_000;

function limited(carried: ReadonlyMap<string, readonly string[]>): Values {
  let left = mostCarried;
  return new Map(
    [...carried].flatMap(([name, all]) => {
      const some = all.slice(0, left);
      left -= some.length;
      return some.length > 0 ? [[name, some] as const] : [];
    }),
  );
}

/** Asks for files again, since browsers forget the files of a form that is shown again. */
export function withForgottenFiles(view: Shown, files: Files<SentFile>): Shown {
  const { fields, errors, medium } = view;
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  // A drawing is included in the form that is shown again.
  const sent = fields.filter(
    ({ name, takeFiles, comesWith }) => takeFiles && comesWith === undefined && files.has(name),
  );
  // A script keeps the chosen files.
  if (medium !== 'page') return { ...view, forgotten: new Set(files.keys()) };
  // If one of several files was rejected, the browser forgets the others, too.
  const forgotten = sent.filter(({ name, takesSeveral }) => takesSeveral && isWrong(name));
  const remaining = sent
    .filter(({ name }) => !isWrong(name))
    .map(({ name }): FieldError => ({ field: name, code: 'file_choose_again' }));
  const placeOf = ({ field }: FieldError) => fields.findIndex(({ name }) => name === field);
  return {
    ...view,
    forgotten: new Set(forgotten.map(({ name }) => name)),
    errors: [...errors, ...remaining].sort((one, other) => placeOf(one) - placeOf(other)),
  };
}
