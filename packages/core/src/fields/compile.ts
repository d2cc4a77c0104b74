/** Reads fields from the config and compiles them. */
import { canonical } from '@form-relay/base/canonical';
import { cleanName, distinctName } from '@form-relay/base/file_names';
import { html } from '@form-relay/base/html';
import { structureIn } from '@form-relay/base/json';
import { type Values, withoutEmpty } from '@form-relay/base/values';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import type { Properties, Schema } from '@form-relay/schema/kinds';
import {
  discriminatedUnion,
  jsonSchemaOf,
  object,
  schema,
  text,
  withDefault,
} from '@form-relay/schema/kinds';
import { words } from '@form-relay/schema/suggestion';
import type { Locale, Message } from '../messages/message.ts';
import type { FieldExtension, FieldHooks, Plugin } from '../plugin.ts';
import type { FieldError, Submission } from '../submission.ts';
import { optionsWith, options as plainOptions } from './choices.ts';
import {
  commonFieldKeys,
  type Declared,
  type Field,
  type FieldType,
  single,
  type TakenFiles,
} from './field.ts';
import { labelParam } from './label.ts';

/** The relay's terms for things that other form builders call fields. */
const notFieldTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'files upload file_upload attachment attachments image photo': 'files are a field of type file',
    'captcha recaptcha hcaptcha turnstile':
      'a captcha is not a field; add it beside fields: captcha: {provider: …, secret: …}',
    honeypot: 'a honeypot is not a field; add it beside fields: spam: {honeypot: website}',
    'submit button reset': 'the button is automatic; set its text with submit_label, beside fields',
    'note html heading header divider':
      'text between fields is not a field; add it as a separate entry: - note: …',
  }).flatMap(([all, instead]) => words(all).map((word) => [word, instead] as const)),
);

/** The schema of a field in the config, by its type; `text` is the default. */
export function fieldSchemas(plugins: readonly Plugin[]): Schema<Field> {
  const extensions = plugins.flatMap((plugin) => plugin.fieldExtensions ?? []);
  const types = plugins.flatMap((plugin) => plugin.fields ?? []);
  const kinds = new Map(
    types.map((type) => {
      const own = extensions.filter((one) => !one.types || one.types.includes(type.type));
      return [type.type, fieldSchema(type, own)] as const;
    }),
  );
  return discriminatedUnion<Field>('type', kinds, {
    absent: kinds.get('text'),
    common: commonFieldKeys,
    invalid: (read) => (typeof read.name === 'string' ? unreadable({ ...read, name: read.name }) : undefined),
    example: '{name: email, type: email}',
    named: types.map(({ type, aliases, summary }) => ({ name: type, aliases, summary })),
    noun: 'field',
    elsewhere: notFieldTypes,
  });
}

function fieldSchema(type: FieldType, extensions: readonly FieldExtension[] = []): Schema<Field> {
  const own: Properties = Object.assign(
    {},
    ...extensions.map(({ keys }) => keys),
    withOptionKeys(type, extensions),
  );
  const changed: Properties = Object.assign({}, ...extensions.map((one) => one.changeKeys?.(own)));
  const read = object(
    { type: withDefault(type.type, 'The field type.', text()), ...commonFieldKeys, ...own, ...changed },
    '{name: email, type: email}',
    (declared, at) => type.problems?.(declared, at),
  );
  return schema(
    () => jsonSchemaOf(read),
    (value, at) => {
      const before = at.mistakes.length;
      const declared = read(value, at);
      if (declared && at.mistakes.length === before) return compile(type, declared, extensions, at);
      return declared?.name === undefined ? undefined : unreadable(declared, type);
    },
    { properties: read.properties },
  );
}

/** The keys of the type. A list of options also has the option keys of extensions. */
function withOptionKeys({ keys }: FieldType, extensions: readonly FieldExtension[]): Properties {
  const more: Properties = Object.assign({}, ...extensions.map(({ optionKeys }) => optionKeys));
  const { options } = keys;
  if (options !== plainOptions || Object.keys(more).length === 0) return keys;
  return { ...keys, options: { ...options, schema: optionsWith(more) } };
}

/** A field with mistakes keeps its valid keys for checks that compare keys. Visitors never see such a field. */
export const unreadable = (
  declared: { readonly name: string },
  { type, takeFiles }: Pick<FieldType, 'type' | 'takeFiles'> = { type: '' },
): Field => {
  const takesAny = takeFiles && (() => ({ files: [] }));
  const blank = { type, summary: '', keys: {}, takeFiles: takesAny, control: () => html`` };
  return makeField(blank, declared);
};

/** Reads a field of any type inside another field. The config's schema knows the types. */
export const nestedField = (): Schema<Field> =>
  schema(
    () => ({ title: 'field', $ref: '#/definitions/field' }),
    (value, at) => at.report.readField?.(value, at) as Field | undefined,
  );

/** Makes a field that the config does not declare itself, such as one line of an address. */
export const makeField = (
  type: FieldType,
  keys: Partial<Field> & { readonly name: string } & Readonly<Record<string, unknown>>,
): Field => compile(type, { required: false, ...keys } as Declared<Properties>, [], new Diagnostics());

function compile(
  definition: FieldType,
  keys: Declared<Properties>,
  extensions: readonly FieldExtension[],
  at: Diagnostics,
): Field {
  const { type, layout = 'labelled', missing = 'missing', checkValue, samples, normalizeValue } = definition;
  const own: Declared<Properties> & Partial<Field> = keys;
  const { name } = keys;
  const { comparedAs = normalizeValue ? 'relay' : 'text' } = definition;
  const offered = definition.offered?.(keys);
  const inputs = definition.inputs?.(keys);
  // A single literal, because V8 turns an object whose members are added one by one into a dictionary (1.6 KB
  // more). With the spread first, Node 20 makes a hidden class per field, which takes ten times as long.
  const field: Declared<Properties> & Field = {
    width: own.width,
    ...own,
    type,
    layout,
    samples: samples && ((now) => samples(field, now)),
    missing: typeof missing === 'string' ? { code: missing } : missing(keys),
    hint: definition.hint?.(keys),
    offered,
    takesSeveral: definition.takesSeveral?.(keys) ?? false,
    takesOne: !offered && (own.takesOne || (definition.takesOne?.(keys) ?? false)),
    normalize: normalizeValue && normalizing(name, (value) => normalizeValue(field, value)),
    comparedAs,
    canonical: (value) => canonical(comparedAs, definition.canonical?.(keys, value) ?? value),
    check: (values, submission) => {
      for (let index = 0; index < values.length; index += 1) {
        const value = values[index] as string;
        const problem = checkValue
          ? checkValue(field, value, submission)
          : offered && !offered.includes(value)
            ? notOffered
            : undefined;
        if (problem) return { field: name, ...problem, at: index };
      }
      const problem =
        field.takesOne && values.length > 1
          ? { code: 'more_than_one_value' }
          : definition.check?.(field, values, submission);
      return problem && { field: name, ...problem };
    },
    store: definition.store?.bind(definition, keys),
    shape: definition.shape,
    words: (values, locale, label) => {
      const filled = withoutEmpty(values);
      const structure = inputs && structureIn(filled[0] ?? '');
      if (structure) return inputs.words(structure, locale);
      return definition.words?.(field, definition.derive ? values : filled, locale, label) ?? filled;
    },
    json: (values) => {
      const filled = withoutEmpty(values);
      if (inputs) return filled[0] === undefined ? undefined : (structureIn(filled[0]) ?? filled[0]);
      return definition.json ? definition.json(field, filled) : single(filled, field.takesSeveral);
    },
    inputs,
    takeFiles:
      definition.takeFiles &&
      ((sent, names) => withSafeNames(definition.takeFiles?.(keys, sent) ?? { files: [] }, names)),
    further: definition.further?.(keys).map(({ type, label: { code, params }, ...more }) =>
      makeField(type, {
        ...more,
        label: { code, params: { field: labelParam(own), ...params } },
        visible_when: own.visible_when,
        isClosedToLinks: true,
        comesWith: name,
      }),
    ),
    derive: definition.derive?.bind(definition, keys),
    isReentered: definition.isReentered || (definition.derive && true),
    script: definition.script,
    part: definition.part,
    control: (state) => definition.control(field, state),
    withKeys: (more) =>
      compile(definition, { ...field, ...more } as Declared<Properties>, extensions, new Diagnostics()),
  };
  for (const one of extensions) extendField(field, one.configure(field, at));
  return field;
}

const withSafeNames = (taken: TakenFiles, names: Set<string>): TakenFiles =>
  'files' in taken
    ? { files: taken.files.map((file) => ({ ...file, name: distinctName(cleanName(file.name), names) })) }
    : taken;

const notOffered: Message = { code: 'not_an_option' };

const normalizing =
  (name: string, meant: (value: string) => string) =>
  (sent: Values): readonly string[] | undefined => {
    const values = sent.get(name);
    return values?.some((value) => meant(value) !== value) ? values.map(meant) : values;
  };

function extendField(field: Field, hooks: FieldHooks | undefined): void {
  if (!hooks) return;
  const { check, attributes } = field;
  const { check: more, attributes: further, members, ...others } = hooks;
  Object.assign(
    field,
    others,
    members,
    more && {
      check: (values: readonly string[], submission: Submission): FieldError | undefined => {
        const problem = check(values, submission) ?? more(values, submission);
        return problem && { field: field.name, ...problem };
      },
    },
    further && { attributes: (locale: Locale) => ({ ...attributes?.(locale), ...further(locale) }) },
  );
}
