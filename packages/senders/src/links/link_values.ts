/** The values that a link fills in, validated by the form. */

import { fromJson } from '@form-relay/base/json';
import type { Field, Inputs } from '@form-relay/core/fields/field';
import type { Form } from '@form-relay/core/form';
import { SubmissionContext } from '@form-relay/core/pipeline/context';
import { validate } from '@form-relay/core/pipeline/validate';
import type { Settings } from '@form-relay/core/settings';
import type { FieldError } from '@form-relay/core/submission';
import { type Spread, spread } from '@form-relay/files/json';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { printable } from '@form-relay/yaml/problem';

/** Why a link cannot fill in a value: the form's own error, or a text for the person who makes the link. */
export type ValueMistake = FieldError | string;

/** The values that the form accepts, and the mistakes in the others. A field with several inputs has a JSON value. */
export function valuesFor(
  form: Form,
  written: ReadonlyMap<string, readonly string[]>,
  locked: readonly string[],
  settings: Settings,
): { readonly values: Map<string, readonly string[]>; readonly mistakes: readonly ValueMistake[] } {
  const values = new Map<string, readonly string[]>();
  const mistakes: ValueMistake[] = [];
  for (const [name, all] of written)
    try {
      values.set(name, takenValue(name, all, locked.includes(name), form, settings));
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      mistakes.push(error.of);
    }
  return { values, mistakes };
}

class Mistake extends Error {
  constructor(readonly of: ValueMistake) {
    super();
  }
}

function takenValue(
  name: string,
  written: readonly string[],
  isLocked: boolean,
  form: Form,
  settings: Settings,
): readonly string[] {
  const field = form.fields.find((one) => one.name === name);
  if (!field) throw new Mistake(noField(form, name));
  if (field.isReentered) throw new Mistake(`${name}: a link cannot fill in a field of type ${field.type}`);
  if (written.length > 1 && !field.takesSeveral)
    throw new Mistake(`${name}: the field accepts one value, but the link has ${written.length}`);
  const sent = field.inputs
    ? valuesOfInputs(field, field.inputs, written[0] ?? '')
    : new Map([[name, field.normalize?.(new Map([[name, written]])) ?? written]]);
  const error = errorOf(field, sent, isLocked, form, settings);
  if (error) throw new Mistake(error);
  return field.inputs ? written : (sent.get(name) ?? []);
}

/** Validates a link's values for only this field. Visitors complete fields that are not locked. */
function errorOf(
  field: Field,
  sent: ReadonlyMap<string, readonly string[]>,
  isLocked: boolean,
  form: Form,
  settings: Settings,
): FieldError | undefined {
  const { name, inputs } = field;
  if (!inputs && sent.get(name)?.includes('')) return { field: name, ...field.missing };
  const ownForm = { ...form, fields: [field.withKeys({ visible_when: undefined })], checkingOutputs: [] };
  const request = { method: 'POST', path: '/', query: '', headers: {}, body: undefined };
  const shared = { services: form.services, settings, follow: () => {} };
  const submission = new SubmissionContext(ownForm, '', request, shared);
  submission.sent = sent;
  const errors = (validate(submission, ownForm)?.errors ?? []).filter(
    (error) =>
      isLocked || (error.code !== 'too_few_items' && (error.field === name || sent.has(error.field))),
  );
  return errors.find((error) => error.field === name) ?? errors[0];
}

function noField({ id, fields }: Form, name: string): string {
  const names = fields.map((one) => one.name);
  const whole = fields.find((one) => one.inputs && name.startsWith(`${one.name}.`));
  const near = whole?.inputs
    ? `; write ${whole.name} as ${jsonFor(whole, whole.inputs)}`
    : didYouMean(nearest(name, names));
  return `"${id}" has no field "${printable(name)}"${near}`;
}

/** The values of the field's inputs. Fails with the name of any member that the form would ignore. */
function valuesOfInputs(field: Field, inputs: Inputs, json: string): ReadonlyMap<string, readonly string[]> {
  const { name } = field;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new Mistake(`${name}: this is not JSON: ${message}; expected ${jsonFor(field, inputs)}`);
  }
  const { found, wrong }: Spread = spread(field, name, value);
  if (wrong || found.length === 0) throw new Mistake(`${name}: expected ${jsonFor(field, inputs)}`);
  const known = membersOf(inputs);
  const values = new Map<string, readonly string[]>();
  for (const [path, member, steps] of found) {
    const own = String(steps.at(-1));
    if (!known.includes(own))
      throw new Mistake(
        `${name}: there is no "${printable(own)}"${didYouMean(nearest(own, known))}, only ${known.join(', ')}`,
      );
    const input = inputs.all.find((one) => one.name === path);
    const filled = [member].flat().filter((one) => one !== null && one !== false && one !== '');
    const taken = input ? fromJson(input, member) : [];
    if (input && taken.length < filled.length)
      throw new Mistake(`${path}: expected ${input.layout === 'box' ? 'true or false' : 'text or a number'}`);
    values.set(path, taken);
  }
  return values;
}

const membersOf = ({ all }: Inputs) => [...new Set(all.map(({ path }) => String(path?.at(-1))))];

const jsonFor = (field: Field, inputs: Inputs) =>
  `${spread(field, field.name, true).wrong?.shape} in JSON, as outputs get it, with values for some of ${membersOf(inputs).join(', ')}`;
