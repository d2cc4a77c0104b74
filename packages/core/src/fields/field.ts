/** The shape of a field type. The core's own are in this folder; plug-ins bring others (plugin.ts). */
import type { Kind } from '@form-relay/base/canonical';
import type { Html } from '@form-relay/base/html';
import type { Files, SentFile, UploadedFile, Values } from '@form-relay/base/values';
import { condition } from '@form-relay/schema/condition';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import {
  boolean,
  label,
  localizedText,
  name,
  optional,
  optionalBlock,
  type Parsed,
  type Properties,
  required,
  text,
  texts,
  withDefault,
} from '@form-relay/schema/kinds';
import type { LocalizedText } from '@form-relay/schema/scalars';
import type { Locale, Message } from '../messages/message.ts';
import type { FieldError, Submission } from '../submission.ts';
import { type Derivation, type DerivingForm, withDerived } from './derived.ts';
import type { Labelled } from './label.ts';

export const commonFieldKeys = {
  name: required('Name under which the value is submitted.', name()),
  required: withDefault('false', 'Whether visitors must fill it in.', boolean(), {
    aliases: ['mandatory', 'require', 'needed'],
  }),
  label: optional(
    'Text above the field. `[words](https://…)` becomes a link. Default: the name.',
    localizedText(label()),
    { aliases: ['title', 'caption', 'text'] },
  ),
  help: optional('Hint under the label. Links as in `label`.', localizedText(), {
    aliases: ['hint', 'description', 'note'],
  }),
  placeholder: optional('Example in the empty field.', localizedText()),
  autocomplete: optional('Data for browsers to fill in: `name`, `email`, `tel`, `organization`, …', text()),
  value: optional('Initial value, or several.', texts(), {
    aliases: ['default', 'defaultvalue', 'initial'],
  }),
  visible_when: optionalBlock(
    'Shows the field only if other fields have certain values: `{field: kind, is: business}`. Values of hidden fields are discarded (docs/fields/conditions.md).',
    condition,
  ),
  required_when: optionalBlock(
    'Requires the field only if other fields have certain values, as in `visible_when`.',
    condition,
  ),
};

/** The label above the control, a fieldset around choices, the label behind a box, no label, or a fieldset around other inputs. */
export type Layout = 'labelled' | 'group' | 'radiogroup' | 'box' | 'bare' | 'inputs';

export interface Option {
  readonly value: string;
  readonly label: LocalizedText;
  readonly disabled?: true;
}

/** The owner's class names on the parts of a form, in addition to those that each part has anyway. */
export type Classes = Readonly<
  Partial<
    Record<
      | 'form'
      | 'field'
      | 'label'
      | 'input'
      | 'select'
      | 'check'
      | 'check_input'
      | 'help'
      | 'error'
      | 'button'
      | 'back'
      | 'wrapper'
      | 'affix',
      string | undefined
    >
  >
>;

export interface ControlState {
  readonly locale: Locale;
  /** The id of the control, or of the first one in a group. Unique on the page. */
  readonly id: string;
  readonly values: readonly string[];
  readonly required: boolean;
  /** For `aria-describedby`: the ids of the help and the error, if any. */
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly autofocus: boolean;
  readonly classes: Classes;
  /** @internal `auto` if typed text may run in the other direction than the form. */
  readonly dir: 'auto' | undefined;
  /** @internal For a field with `inputs`: those in the form. */
  readonly inputs: readonly Field[];
  /** @internal An input with its label, help and error. */
  render(input: Field): Html;
  /** @internal */ readonly attributes?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The keys of a field in the config, for a type with the keys `K`. */
export type Declared<K extends Properties> = Parsed<typeof commonFieldKeys> & Parsed<K>;

/**
 * The inputs of a field, under names below its own, which no other field may have: `home.city`, `guests.2.name`. The
 * field's value is JSON made of theirs.
 */
export interface Inputs {
  readonly shape: 'map' | 'list';
  /** Every one that there may be. */
  readonly all: readonly Field[];
  /** The inputs in the form, given what was sent. */
  shown(values: Values): readonly Field[];
  /** The inputs to validate, given what was sent. */
  validated(values: Values): readonly Field[];
  problem?(sent: Values): Message | undefined;
  /** The field's value; `undefined` if nothing is filled in. */
  gather(values: Values): object | undefined;
  words(value: object, locale: Locale): readonly string[];
}

/** An entry in the palette of a builder of forms. */
export interface FieldCard {
  readonly title: string;
  readonly purpose: 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';
  /** Other words by which people look for it. */
  readonly words: string;
  /** The keys of a new field besides `type`. Default: a `name` like the type. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Keys of all fields that it refuses or does not need: the builder does not offer them. */
  readonly idleKeys?: readonly string[];
}

/** A method's type, so that a list can hold field types of any keys. */
type MessageFor<F> = { said(field: F): Message }['said'];

/** Functions are methods for the same reason. */
export interface FieldType<K extends Properties = Properties> {
  readonly type: string;
  readonly summary: string;
  /** Names of other products for it, in lower case. Diagnostics suggest this name instead. */
  readonly aliases?: readonly string[];
  /** Values for dry runs and tests, the likeliest first. Samples that the field refuses are skipped. Default: words for its name. */
  samples?(field: Declared<K>, now: number): readonly (readonly string[])[] | undefined;
  /** How builders of forms offer it. */
  readonly card?: FieldCard;
  /** The keys beyond the common ones; they may replace some of those. */
  readonly keys: K;
  /** Mistakes between keys; those that are wrong are `undefined`. */
  problems?(field: Partial<Declared<K>>, at: Diagnostics): void;
  /** Default: `labelled`. */
  readonly layout?: Layout;
  /** The code or the message for a required field that is empty. Default: `missing`. */
  readonly missing?: string | MessageFor<Declared<K>>;
  /** A sentence under the label that says what is expected, besides the owner's `help`. */
  hint?(field: Declared<K>): Message | readonly Message[] | undefined;
  /** All accepted values, if the keys list them. */
  offered?(field: Declared<K>): readonly string[];
  takesSeveral?(field: Declared<K>): boolean;
  /** @internal Several filled-in values are a mistake. Plain fields keep them all (SPEC: Field). */
  takesOne?(field: Declared<K>): boolean;
  /** The value that is meant by one that was typed, such as `3` by `３`; the empty text if it is no answer. */
  normalizeValue?(field: Declared<K>, value: string): string;
  /** How its values compare, as the form's script knows, such as `number`. Default: as text, or as the relay normalizes them. */
  readonly comparedAs?: Kind;
  /** The one value that stands for a value, sent or stored, where values are compared. Default: by `comparedAs`. */
  canonical?(field: Declared<K>, value: string): string;
  /** @internal The mistake in one non-empty value. Default: it must be one of those offered. */
  checkValue?(field: Declared<K>, value: string, submission: Submission): Message | undefined;
  /** @internal The mistake in all of them together. */
  check?(field: Declared<K>, values: readonly string[], submission: Submission): Message | undefined;
  /** The output's value for a valid value, if that differs. */
  store?(field: Declared<K>, value: string, submission: Submission): string;
  /** Stored values for people, such as the labels of options; `label`: the text next to them. Default: as they are stored. */
  words?(field: Declared<K>, values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** Whether the words are items of a list or lines of a block, whatever they are. Default: several are a list. */
  readonly shape?: 'list' | 'block';
  /** Stored values in JSON; `undefined`: there is none. Default: a text, or a list of texts. */
  json?(field: Declared<K>, values: readonly string[]): unknown;
  /**
   * Makes the field one that visitors do not fill in: the relay derives its values, such as a total, from those of other fields. Called
   * once for each form, whose fields it gets. Conditions and checks see the result; what was sent under its name is ignored.
   */
  derive?(field: Declared<K>, fields: readonly Field[], at: Diagnostics): Derivation | undefined;
  /** @internal */ inputs?(field: Declared<K>): Inputs;
  /** For a field of files: the accepted ones, or the mistake in one of them. The relay makes their names safe and distinct. */
  takeFiles?(field: Declared<K>, sent: readonly SentFile[]): TakenFiles;
  /** Fields that come right behind it in the form, such as the drawing of a signature, under names that begin with its own and a dot. */
  further?(field: Declared<K>): readonly FurtherField[];
  /** Only the visitor fills it in, again each time: no link, and nothing that a browser keeps. */
  readonly isReentered?: true;
  /** A script that stands in forms which the relay's own script does not send. */
  readonly script?: Html;
  /** The script that forms load for it, of `Plugin.scripts`. */
  readonly part?: string;
  /** The control without its label, help and error; for a group, all its controls. */
  control(field: Declared<K>, state: ControlState): Html;
}

/** A field that comes with another one, shown under the same condition. No link fills it in. */
export interface FurtherField {
  readonly name: string;
  readonly type: FieldType;
  /** `{field}` in its words is the label of the other one. */
  readonly label: Message;
}

export type TakenFiles =
  | { readonly files: readonly UploadedFile[] }
  | { readonly error: Message; readonly at?: number };

/** @internal */
export interface Field extends Pick<FieldType, 'shape' | 'part'> {
  /** For a field that comes with another one: the name of that. */
  readonly comesWith?: string | undefined;
}
export interface Field
  extends Omit<Parsed<typeof commonFieldKeys>, 'label'>,
    Pick<FieldType, 'type' | 'script' | 'isReentered'> {
  readonly label?: LocalizedText | Message | undefined;
  /** @internal */ readonly layout: Layout;
  /** @internal */ readonly missing: Message;
  /** @internal */ readonly hint: Message | readonly Message[] | undefined;
  readonly options?: readonly Option[] | undefined;
  /** @internal */ readonly offered: readonly string[] | undefined;
  /** @internal All values that it accepts, if no page shows them. */
  readonly accepted?: readonly string[] | undefined;
  readonly takesSeveral: boolean;
  /** @internal */ readonly takesOne: boolean;
  /** The values as they are meant, given all that was sent; `undefined`: none. */
  /** @internal */ readonly normalize?: ((sent: Values) => readonly string[] | undefined) | undefined;
  /** @internal How the form's script compares its values. */
  readonly comparedAs: Kind;
  /** The one value that stands for a value, sent or stored, in conditions, comparisons and `once`. */
  canonical(value: string): string;
  /** @internal The canonical form of a value, or a part of one, in a condition; `undefined` if the field never has it. */
  readonly wanted?: ((value: string, isPart: boolean) => string | undefined) | undefined;
  check(values: readonly string[], submission: Submission): FieldError | undefined;
  readonly store?: ((value: string, submission: Submission) => string) | undefined;
  readonly samples?: ((now: number) => readonly (readonly string[])[] | undefined) | undefined;
  /** The stored values for people, without empty ones; `label`: the text next to them. */
  words(values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** The stored values in JSON, such as a number or a flag; `undefined`: there is none. */
  json(values: readonly string[]): unknown;
  /** The fields that are sent in its place. */
  readonly inputs?: Inputs | undefined;
  /** @internal */ readonly derive:
    | ((fields: readonly Field[], at: Diagnostics) => Derivation | undefined)
    | undefined;
  /** @internal */ readonly further?: readonly Field[] | undefined;
  /** @internal */ readonly takeFiles:
    | ((sent: readonly SentFile[], names: Set<string>) => TakenFiles)
    | undefined;
  /** No link fills it in. */
  readonly isClosedToLinks?: true | undefined;
  /** @internal For an input of a field: what it belongs to, such as "Guest 2", where its own label would not say so. */
  readonly owner?: Labelled | undefined;
  /** @internal For an input of a field: where it is in JSON. */
  readonly path?: readonly (string | number)[] | undefined;
  /** @internal Required only once another input of the field is filled in, which browsers cannot check. */
  readonly isLenient?: boolean | undefined;
  /** @internal How much of a row it takes where the form is wide enough. Default: all of it. */
  readonly width?: 'full' | 'half' | 'third' | 'two_thirds' | undefined;
  /** @internal Classes of the field win over those of the form. */
  readonly classes?: Classes | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  /** @internal */ readonly attributes?:
    | ((locale: Locale) => Readonly<Record<string, string | undefined>>)
    | undefined;
  /** @internal The owner's words for an error at this field. */
  readonly ownWords?: ((error: Message, locale: Locale) => string | undefined) | undefined;
  control(state: ControlState): Html;
  /** The same field with other keys: as an input of another, or with other options. */
  withKeys(keys: Partial<Omit<Field, 'type'>> & Readonly<Record<string, unknown>>): Field;
}

export const fieldType = <K extends Properties>(definition: FieldType<K>): FieldType => definition;

/** The first of the values, or all of them where there may be several; `undefined` without any. */
export const single = <T>(values: readonly T[], takesSeveral = false): T | readonly T[] | undefined =>
  takesSeveral || values.length > 1 ? (values.length > 0 ? values : undefined) : values[0];

/** Every field that is sent under a name of its own: a field, or its inputs in its place. */
export const inputsOf = (fields: readonly Field[]): readonly Field[] =>
  fields.some(({ inputs }) => inputs) ? fields.flatMap((field) => field.inputs?.all ?? field) : fields;

/** The submitted values as the fields understand them. */
export function normalized(
  sent: Values,
  form: DerivingForm & { readonly inputs: readonly Field[] },
  files?: Files<SentFile>,
): Values {
  const { inputs } = form;
  let meant: Map<string, readonly string[]> | undefined;
  for (let index = 0; index < inputs.length; index += 1) {
    const { name, normalize } = inputs[index] as Field;
    if (!normalize) continue;
    const values = normalize(sent);
    if (values === sent.get(name)) continue;
    meant ??= new Map(sent);
    if (values) meant.set(name, values);
    else meant.delete(name);
  }
  return withDerived(meant ?? sent, form, files);
}
