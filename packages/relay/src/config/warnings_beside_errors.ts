import * as v from 'valibot';
import type { Finding, FindingCode } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { noLists } from '../schema/lists/list.ts';
import { buildForm, createCommon, inEnglish } from './build_form.ts';
import { english } from './languages.ts';
import { entry, formKeys, formSchema, output, spamKeys } from './schema.ts';
import { strayKeys } from './stray_keys.ts';
import { warningsOf } from './warnings.ts';

/** The warnings about an invalid form, as if its errors were fixed. */
export function warningsBesideErrors(id: string, form: unknown, top: unknown): readonly Finding[] {
  if (!isMap(form)) return [];
  const fields = listOr(form.fields, [{}]).map((one, index) =>
    fits(entry, one) ? one : standIn(one, index),
  );
  const outputs = listOr(form.outputs, [{}]).map((one) => (fits(output, one) ? one : harmlessOutput));
  const spam = isMap(form.spam) ? fitting(spamKeys, form.spam) : undefined;
  const harmless = { ...fitting(formKeys, form), spam, fields, outputs };
  const parsed = v.safeParse(formSchema, harmless);
  if (!parsed.success) return [];
  const hasAll = (written: unknown, isRight: (one: unknown) => boolean) =>
    Array.isArray(written) && written.every(isRight);
  const right: Right = {
    fields: hasAll(form.fields, (one) => isRight(entry, one)),
    names: hasAll(form.fields, (one) => fits(entry, one) || (isMap(one) && isText(one.name))),
    outputs: hasAll(form.outputs, (one) => isRight(output, one)),
    spam: isRight(formKeys.spam, form.spam),
    zone: ![form, top].some((keys) => isMap(keys) && Object.hasOwn(keys, 'time_zone')),
    store: !['counted_in', 'keep'].some((key) => isMap(top) && Object.hasOwn(top, key)),
  };
  return warningsOf(buildForm(id, inEnglish(parsed.output), nothingAtTheTop)).filter(({ code }) => {
    const needed = neededFor.get(code);
    return needed === undefined || right[needed];
  });
}

/** Whether a part of the form is valid, or a time zone or store absent, so that warnings about it are true. */
type Right = Readonly<Record<'fields' | 'names' | 'outputs' | 'spam' | 'zone' | 'store', boolean>>;

const neededFor: ReadonlyMap<FindingCode, keyof Right> = new Map([
  ['field_undeclared', 'names'],
  ['mapping_of_template', 'names'],
  ['template_field_undeclared', 'names'],
  ['submission_without_output', 'fields'],
  ['scan_of_no_files', 'fields'],
  ['field_without_files', 'fields'],
  ['too_fast_dropped', 'spam'],
  ['time_zone_unnamed', 'zone'],
  ['keys_remembered_nowhere', 'store'],
  // An invalid output may read the page or take the files.
  ['page_unread', 'outputs'],
  ['files_go_nowhere', 'outputs'],
]);

type Raw = Readonly<Record<string, unknown>>;

const fits = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).success;

const isRight = (schema: v.GenericSchema, value: unknown) =>
  fits(schema, value) && strayKeys(schema, value).length === 0;

/** The entries of a map that are valid by themselves. */
const fitting = (keys: v.ObjectEntries, written: Raw): Raw =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([key, schema]) =>
      Object.hasOwn(written, key) && fits(schema as v.GenericSchema, written[key])
        ? [[key, written[key]]]
        : [],
    ),
  );

const isText = (value: unknown) => typeof value === 'string';

const listOr = (value: unknown, otherwise: readonly unknown[]): readonly unknown[] =>
  Array.isArray(value) ? value : otherwise;

/** Others may refer to an invalid field. */
const standIn = (written: unknown, index: number) => ({
  name:
    isMap(written) && typeof written.name === 'string' && written.name !== ''
      ? written.name
      : `field ${index}`,
});

const nothingAtTheTop = createCommon({}, english, noLists);

const harmlessOutput = { type: 'http_post', url: 'http://localhost/', static: { a: 'a' } };
