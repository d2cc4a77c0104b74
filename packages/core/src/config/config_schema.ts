/** The keys that every config has, around those of plug-ins. */
import type { Field } from '../fields/field.ts';
import type { LocalizedText } from '../messages/message.ts';
import type { Declared } from '../outputs/output.ts';
import { array, object, record } from '../schema/collections.ts';
import { duration, hasControls, localizedText, text } from '../schema/scalars.ts';
import {
  optional,
  optionalBlock,
  type Properties,
  required,
  type Schema,
  schema,
  withDefault,
} from '../schema/schema.ts';
import { type Entry, entrySchema } from './form_fields.ts';

export type Written = Readonly<Record<string, unknown>>;
export interface WrittenForm extends Written {
  readonly fields?: readonly Entry[];
  readonly outputs?: readonly Declared[];
  readonly spam?: Written;
  readonly title?: LocalizedText;
  readonly confirmation?: LocalizedText;
  readonly submit_label?: LocalizedText;
}
export interface WrittenConfig extends Written {
  readonly cache_ttl?: number;
  readonly forms?: ReadonlyMap<string, WrittenForm>;
}

export const formSchema = (
  field: Schema<Field>,
  output: Schema<Declared>,
  keys: { readonly form: Properties; readonly spam: Properties },
): Schema<WrittenForm> =>
  object(
    {
      fields: required(
        'The fields that visitors fill in, with notes between them.',
        array(entrySchema(field)),
      ),
      outputs: required(
        'Where submissions go. All are attempted on every submission.',
        array(outputItem(output), { least: 1 }),
      ),
      spam: optionalBlock(
        'What keeps bots and advertisements out (docs/spam.md).',
        object(keys.spam, '{honeypot: website}'),
      ),
      title: optional('A heading above the rendered form.', localizedText()),
      confirmation: optional(
        'What the visitor reads after a successful submission. `[words](https://…)` becomes a link. To show the brackets themselves, write `\\[words](https://…)`, or `\\\\[words](https://…)` in double quotes. Default: `Thank you.`',
        localizedText(),
      ),
      submit_label: optional(
        'The words on the button of the rendered form. Default: `Send`.',
        localizedText(),
      ),
      ...keys.form,
    },
    '{fields: […], outputs: […]}',
  );

const outputItem = (output: Schema<Declared>): Schema<Declared> =>
  schema(
    () => ({ $ref: '#/definitions/output' }),
    (value, at) => output(value, at),
    { kinds: output.kinds },
  );

export const configSchema = (
  form: Schema<WrittenForm>,
  sharedSpam: Properties,
  top: Properties,
): Schema<WrittenConfig> =>
  object({
    cache_ttl: withDefault(
      '30s',
      'How long the parsed config is used before it is fetched again.',
      duration(),
    ),
    plugins: optional(
      'Packages of npm, and modules of your own, that add fields, outputs and features.',
      array(text()),
    ),
    forms: required(
      'The forms, by name.',
      record(form, formNameProblem, '{contact: {fields: […], outputs: […]}}'),
    ),
    ...(Object.keys(sharedSpam).length > 0 && {
      spam: optionalBlock(
        'For all forms, where they do not say it themselves.',
        object(sharedSpam, '{doubt: tag}'),
      ),
    }),
    ...top,
  });

function formNameProblem(id: string): string | undefined {
  if (id === '' || hasControls(id)) return 'a form name is plain text of at least one character';
  return /^\.{1,2}$/.test(id) ? 'this name cannot stand in a URL' : undefined;
}
