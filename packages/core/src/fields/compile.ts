/** How a config reads a field, and what is made of one. */
import { type Values, withoutEmpty } from '../base/values.ts';
import { html } from '../html/html.ts';
import type { Locale, Message } from '../messages/message.ts';
import type { FieldError } from '../outcome.ts';
import type { FieldExtension, FieldHooks, Plugin } from '../plugin.ts';
import { Diagnostics } from '../schema/diagnostics.ts';
import {
  discriminatedUnion,
  jsonSchemaOf,
  object,
  type Properties,
  type Schema,
  schema,
  text,
  withDefault,
} from '../schema/kinds.ts';
import { words } from '../schema/suggestion.ts';
import type { Submission } from '../submission.ts';
import { alone, type ControlState, commonKeys, type Declared, type Field, type FieldType } from './field.ts';
import { structureIn } from './json.ts';

/** Words for things that other form builders call fields. */
const noFields: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'files upload file_upload attachment attachments image photo': 'files are a field of type file',
    'captcha recaptcha hcaptcha turnstile':
      'a captcha is no field; write it beside fields: captcha: {provider: …, secret: …}',
    honeypot: 'a honeypot is no field; write it beside fields: spam: {honeypot: website}',
    'submit button reset': 'the button comes by itself; its words are submit_label, beside fields',
    'note html heading header divider':
      'text between fields is no field; write it as an entry of its own: - note: …',
  }).flatMap(([all, instead]) => words(all).map((word) => [word, instead] as const)),
);

/** How a config reads a field: by its type, `text` where it names none. */
export function fieldSchemas(
  plugins: readonly Plugin[],
  types: Readonly<Record<string, FieldType>>,
): Schema<Field> {
  const extensions = plugins.flatMap((plugin) => plugin.fieldExtensions ?? []);
  const kinds = new Map(
    Object.entries(types).map(([name, type]) => {
      const own = extensions.filter((one) => !one.types || one.types.includes(name));
      return [name, fieldSchema(type, own)] as const;
    }),
  );
  return discriminatedUnion<Field>('type', kinds, {
    absent: kinds.get('text'),
    common: commonKeys,
    invalid: (read) =>
      typeof read.name === 'string' ? unreadable('', { ...read, name: read.name }) : undefined,
    example: '{name: email, type: email}',
    named: Object.values(types).map(({ type, aliases, summary }) => ({ name: type, aliases, summary })),
    noun: 'field',
    elsewhere: noFields,
  });
}

/** How a config reads a field of this type. */
function fieldSchema(type: FieldType, extensions: readonly FieldExtension[] = []): Schema<Field> {
  const more: Properties = Object.assign({}, ...extensions.map(({ keys }) => keys));
  const read = object(
    { type: withDefault(type.type, 'The field type.', text()), ...commonKeys, ...more, ...type.keys },
    '{name: email, type: email}',
    (declared, at) => type.problems?.(declared, at),
  );
  return schema(
    () => jsonSchemaOf(read),
    (value, at) => {
      const before = at.mistakes.length;
      const declared = read(value, at);
      if (!declared || at.mistakes.length > before)
        return declared?.name === undefined
          ? undefined
          : Object.assign(unreadable(type.type, declared), {
              takeFiles: type.takeFiles && (() => ({ files: [] })),
              isReadOnly: type.isReadOnly,
            });
      return compile(type, declared, extensions, at);
    },
    { properties: read.properties },
  );
}

/** A field with mistakes keeps what could be read, for checks between keys. It is never shown. */
export const unreadable = (type: string, declared: { readonly name: string }): Field => {
  const field: Field = {
    required: false,
    help: undefined,
    placeholder: undefined,
    autocomplete: undefined,
    value: undefined,
    visible_when: undefined,
    ...declared,
    type,
    layout: 'labelled',
    missing: { code: 'missing' },
    hint: undefined,
    offered: undefined,
    takesSeveral: false,
    takesOne: false,
    check: () => undefined,
    takeFiles: undefined,
    words: () => [],
    json: () => undefined,
    control: () => html``,
    withKeys: () => field,
  };
  return field;
};

/** Reads a field of any type inside another one. The config's schema knows the types. */
export const nestedField = (): Schema<Field> =>
  schema(
    () => ({ title: 'field', $ref: '#/definitions/field' }),
    (value, at) => at.report.readField?.(value, at),
  );

/** A field of a type that no config names, such as a line of an address. */
export const makeField = (
  type: FieldType,
  keys: Partial<Field> & { readonly name: string } & Readonly<Record<string, unknown>>,
): Field => compile(type, { required: false, ...keys } as Declared<Properties>, [], new Diagnostics());

/** All members of a field in one order: V8 would make a dictionary, with 1.6 KB more, of an object that gets them one by one. */
const notCompiled: Readonly<Record<string, undefined>> = {
  type: undefined,
  layout: undefined,
  samples: undefined,
  missing: undefined,
  hint: undefined,
  offered: undefined,
  takesSeveral: undefined,
  takesOne: undefined,
  normalize: undefined,
  check: undefined,
  store: undefined,
  shape: undefined,
  words: undefined,
  json: undefined,
  inputs: undefined,
  further: undefined,
  takeFiles: undefined,
  isReadOnly: undefined,
  isEnteredAnew: undefined,
  script: undefined,
  part: undefined,
  control: undefined,
  withKeys: undefined,
};

function compile(
  definition: FieldType,
  keys: Declared<Properties>,
  extensions: readonly FieldExtension[],
  at: Diagnostics,
): Field {
  const { type, layout = 'labelled', missing = 'missing' } = definition;
  const declared: Declared<Properties> = { ...notCompiled, ...keys };
  const own: Declared<Properties> & Partial<Field> = declared;
  const { name } = own;
  const offered = definition.offered?.(declared);
  const takesSeveral = definition.takesSeveral?.(declared) ?? false;
  const takesOne = !offered && (own.takesOne || (definition.takesOne?.(declared) ?? false));
  const checkValue = (value: string, submission: Submission): Message | undefined => {
    if (definition.checkValue) return definition.checkValue(declared, value, submission);
    return !offered || offered.includes(value) ? undefined : { code: 'not_an_option' };
  };
  const inputs = definition.inputs?.(declared);
  const { samples } = definition;
  const field = Object.assign(own, {
    type,
    layout,
    ...(samples && { samples: (now: number) => samples.call(definition, declared, now) }),
    missing: typeof missing === 'string' ? { code: missing } : missing(declared),
    hint: definition.hint?.(declared),
    offered,
    takesSeveral,
    takesOne,
    normalize:
      definition.normalizeValue &&
      normalizing(name, (value) => definition.normalizeValue?.(declared, value) ?? value),
    check: (values: readonly string[], submission: Submission): FieldError | undefined => {
      for (let index = 0; index < values.length; index += 1) {
        const problem = checkValue(values[index] as string, submission);
        if (problem) return { field: name, ...problem, at: index };
      }
      const problem =
        own.takesOne && values.length > 1
          ? { code: 'more_than_one_value' }
          : definition.check?.(declared, values, submission);
      return problem && { field: name, ...problem };
    },
    store:
      definition.store &&
      ((value: string, submission: Submission) => definition.store?.(declared, value, submission) ?? value),
    shape: definition.shape,
    words: (values: readonly string[], locale: Locale, label?: string) => {
      const filled = withoutEmpty(values);
      const structure = inputs && structureIn(filled[0] ?? '');
      if (structure) return inputs.words(structure, locale);
      return definition.words?.(declared, filled, locale, label) ?? filled;
    },
    json: (values: readonly string[]) => {
      const filled = withoutEmpty(values);
      if (inputs) return filled[0] === undefined ? undefined : (structureIn(filled[0]) ?? filled[0]);
      return definition.json ? definition.json(declared, filled) : alone(filled, takesSeveral);
    },
    inputs,
    further: definition.further?.(declared),
    takeFiles: definition.takeFiles?.bind(definition, declared),
    isReadOnly: definition.isReadOnly,
    isEnteredAnew: definition.isEnteredAnew,
    script: definition.script,
    part: definition.part,
    control: (state: ControlState) => definition.control(declared, state),
    withKeys: (keys: object) => compile(definition, { ...declared, ...keys }, extensions, new Diagnostics()),
  });
  for (const one of extensions) extendField(field, one.configure(field, at));
  return field;
}

const normalizing =
  (name: string, meant: (value: string) => string) =>
  (sent: Values): readonly string[] | undefined => {
    const values = sent.get(name);
    return values?.some((value) => meant(value) !== value) ? values.map(meant) : values;
  };

/** With what a plug-in makes of its keys. */
export function extendField(field: Field, hooks: FieldHooks | undefined): void {
  if (!hooks) return;
  const { check, attributes } = field;
  const { check: more, attributes: further, ...others } = hooks;
  Object.assign(field, others);
  if (more)
    Object.assign(field, {
      check: (values: readonly string[], submission: Submission): FieldError | undefined => {
        const before = check(values, submission);
        if (before) return before;
        const problem = more(values, submission);
        return problem && { field: field.name, ...problem };
      },
    });
  if (further)
    Object.assign(field, {
      attributes: (locale: Locale) => ({ ...attributes?.(locale), ...further(locale) }),
    });
}
