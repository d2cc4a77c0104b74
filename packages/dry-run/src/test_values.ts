import { err, type Result } from '@form-relay/base/result';
import { labelOf } from '@form-relay/core/fields/label';
import type { FieldError, Form, SentFile } from '@form-relay/core/index';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import { fileOf, sampleValues } from './samples.ts';
import { createTest, type FormTest } from './send_test.ts';

export interface Wanted {
  /** Values that replace made-up ones, as pairs of name and value. A repeated name means several values. */
  readonly set?: readonly (readonly [name: string, value: string])[] | undefined;
  /** The visitor's address. */
  readonly to?: string | undefined;
  /** The indexes of the outputs to test. Default: all. */
  readonly only?: ReadonlySet<number> | undefined;
}

/** A test of the form with made-up values, or the reason why none is possible. */
export async function makeTest(
  form: Form,
  { set = [], to, only }: Wanted,
  relay: RelayOptions,
): Promise<Result<FormTest, string>> {
  const chosen = valuesByName(set);
  const unknown = [...chosen.keys()].filter((name) => !form.fields.some((field) => field.name === name));
  if (unknown.length > 0) return err(`the form has no field ${unknown.map(quoted).join(', ')}`);
  const ofVisitor = addressFields(form).filter((name) => !chosen.has(name));
  if (to !== undefined && addressFields(form).length === 0)
    return err('the form has no field for an address, so no mail goes to a visitor');
  if (to !== undefined) for (const name of ofVisitor) chosen.set(name, [to]);
  const sampled = valuesByName(sampleValues(form, Date.now(), chosen));
  const hidden = set.find(([name]) => !sampled.has(name));
  if (hidden) return err(`the form does not show the field "${hidden[0]}" with these values`);
  const files = new Map<string, SentFile[]>();
  const values = new Map<string, readonly string[]>();
  for (const [name, all] of sampled) {
    const some = all.flatMap((value) => fileOf(value) ?? []);
    if (some.length > 0) files.set(name, some);
    else values.set(name, all);
  }
  const madeUp = new Set(
    form.fields
      .filter(
        (field) =>
          !chosen.has(field.name) && !field.offered && !isInitial(field.value, values.get(field.name)),
      )
      .map(({ name }) => name),
  );
  const test = await createTest({ relay, formId: form.id, values, files, madeUp, only });
  return test.ok ? test : err(notTaken(form, test.error));
}

const valuesByName = (pairs: readonly (readonly [string, string])[]): Map<string, readonly string[]> => {
  const byName = new Map<string, readonly string[]>();
  for (const [name, value] of pairs) byName.set(name, [...(byName.get(name) ?? []), value]);
  return byName;
};

/** Fields for addresses that mails may be sent to. */
const addressFields = ({ fields }: Form): readonly string[] =>
  fields.filter(({ type }) => type === 'email').map(({ name }) => name);

/** An initial value comes from the owner. */
const isInitial = (initial: readonly string[] | undefined, values: readonly string[] | undefined) =>
  initial !== undefined && initial.length > 0 && initial.join('\0') === values?.join('\0');

const quoted = (name: string) => `"${name}"`;

function notTaken(form: Form, errors: readonly FieldError[]): string {
  if (errors.length === 0) return 'the values could not be checked in time: try again';
  const lines = errors.map((error) => {
    const field = form.fields.find(({ name }) => name === error.field);
    return `${error.field} (${field ? labelOf(field, form.locale(undefined)) : error.field}): ${form.locale(undefined).translate(error)}`;
  });
  return `the form rejects these values; choose others for\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
