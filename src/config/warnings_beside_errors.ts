import * as v from 'valibot';
import type { Finding, FindingCode } from '../config_finding.ts';
import { noLists } from '../lists/list.ts';
import type { Path } from '../place.ts';
import { isMap } from '../schema/kinds.ts';
import { buildForm, createCommon, inEnglish } from './build_form.ts';
import { english } from './languages.ts';
import { entry, formKeys, formSchema, output, spamKeys } from './schema.ts';
import { warningsOf } from './warnings.ts';

/**
 * The warnings about a form that does not load: those that it would have if whatever keeps it from loading were harmless.
 */
export function warningsBesideErrors(id: string, form: unknown): readonly Finding[] {
  if (!isMap(form)) return [];
  const fields = listOr(form.fields, [{}]).map((one, index) =>
    fits(entry, one) ? one : standIn(one, index),
  );
  const outputs = listOr(form.outputs, [{}]).map((one) => (fits(output, one) ? one : harmlessOutput));
  const spam = isMap(form.spam) ? fitting(spamKeys, form.spam) : undefined;
  const harmless = { ...fitting(formKeys, form), spam, fields, outputs };
  const parsed = v.safeParse(formSchema, harmless);
  if (!parsed.success) return [];
  const { fields: written } = form;
  const areRight = Array.isArray(written) && written.every((one, index) => one === fields[index]);
  const areNamed =
    Array.isArray(written) &&
    written.every((one, index) => one === fields[index] || (isMap(one) && isText(one.name)));
  return warningsOf(buildForm(id, inEnglish(parsed.output), nothingAtTheTop)).filter(
    ({ code, path }) =>
      (areNamed || !aboutNames.includes(code)) &&
      (areRight || code !== 'submission_without_output') &&
      // An output that is wrong may read it.
      code !== 'page_unread' &&
      isWritten(path, form, { fields, outputs }),
  );
}

/** Whether a warning is about what is written, and not about what stands in for it. */
function isWritten(
  [, , part, index]: Path,
  form: Raw,
  standing: Readonly<Record<'fields' | 'outputs', readonly unknown[]>>,
) {
  if (part !== 'fields' && part !== 'outputs') return true;
  const { [part]: written } = form;
  return Array.isArray(written) && written[Number(index)] === standing[part][Number(index)];
}

type Raw = Readonly<Record<string, unknown>>;

const fits = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).success;

/** The entries of a map that are right by themselves. */
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

/** Whatever is wrong with a field, others may mention it. */
const standIn = (written: unknown, index: number) => ({
  name:
    isMap(written) && typeof written.name === 'string' && written.name !== ''
      ? written.name
      : `field ${index}`,
});

const nothingAtTheTop = createCommon({}, english, noLists);

const harmlessOutput = { type: 'http_post', url: 'https://example.com/', static: { a: 'a' } };

/** Without all names of the fields, nobody knows whether these are true. */
const aboutNames: readonly FindingCode[] = [
  'field_undeclared',
  'mapping_of_template',
  'template_field_undeclared',
];
