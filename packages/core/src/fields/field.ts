/** The interface of a field type. The core's own types are in this folder; plug-ins add others (plugin.ts). */
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
  name: required('Name of the value in submissions: `email`.', name()),
  required: withDefault('false', 'Whether visitors must fill it in.', boolean(), {
    aliases: ['mandatory', 'require', 'needed'],
  }),
  label: optional(
    'Text above the field (`Your name`). `[words](https://…)` becomes a link. Default: the name.',
    localizedText(label()),
    { aliases: ['title', 'caption', 'text'] },
  ),
  help: optional('Hint under the label (`As in your passport`). Links as in `label`.', localizedText(), {
    aliases: ['hint', 'description', 'note'],
  }),
  placeholder: optional('Example in the empty field (`Ada Lovelace`).', localizedText()),
  autocomplete: optional('Data for browsers to fill in: `name`, `email`, `tel`, `organization`, …', text()),
  value: optional('Initial value, or several (`[a, b]`).', texts(), {
    aliases: ['default', 'defaultvalue', 'initial'],
  }),
  visible_when: optionalBlock(
    'Shows the field only if other fields have certain values: `{field: kind, is: business}`. Values of hidden fields are discarded (docs/fields/conditions.md).',
    condition,
  ),
  required_when: optionalBlock(
    'Requires the field only if other fields have certain values, as in `visible_when` (`{field: kind, is: business}`).',
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

/** The owner's class names for parts of a form, in addition to the relay's own. */
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
  /** @internal `auto` if typed text may have another direction than the form. */
  readonly dir: 'auto' | undefined;
  /** @internal For a field with `inputs`: the inputs that are in the form. */
  readonly inputs: readonly Field[];
  /** @internal Renders an input with its label, help and error. */
  render(input: Field): Html;
  /** @internal */ readonly attributes?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The keys of a field in the config, for a type with the keys `K`. */
export type Declared<K extends Properties> = Parsed<typeof commonFieldKeys> & Parsed<K>;

/**
 * The inputs of a field. Their names start with the field's name, and no other field may use them:
 * `home.city`, `guests.2.name`. The field's value is JSON made of the inputs' values.
 */
export interface Inputs {
  readonly shape: 'map' | 'list';
  /** Every possible input. */
  readonly all: readonly Field[];
  /** The inputs in the form, given the submitted values. */
  shown(values: Values): readonly Field[];
  /** The inputs to validate, given the submitted values. */
  validated(values: Values): readonly Field[];
  problem?(sent: Values): Message | undefined;
  /** The field's value; `undefined` if nothing is filled in. */
  gather(values: Values): object | undefined;
  words(value: object, locale: Locale): readonly string[];
}

/** An entry in the palette of a form builder. */
export interface FieldCard {
  readonly title: string;
  readonly purpose: 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';
  /** Other words that people search for. */
  readonly words: string;
  /** The keys of a new field besides `type`. Default: a `name` equal to the type. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Common keys that the type rejects or does not need. Form builders do not offer them. */
  readonly idleKeys?: readonly string[];
}

/** The type of a method, so that a list can hold field types with any keys. */
type MessageFor<F> = { said(field: F): Message }['said'];

/** Functions are written as methods for the same reason. */
export interface FieldType<K extends Properties = Properties> {
  readonly type: string;
  readonly summary: string;
  /** Names in other products, in lower case. Diagnostics suggest this type for them. */
  readonly aliases?: readonly string[];
  /** Values for dry runs and tests, the most typical first. Invalid ones are skipped. Default: words that suit its name. */
  samples?(field: Declared<K>, now: number): readonly (readonly string[])[] | undefined;
  /** How form builders offer the type. */
  readonly card?: FieldCard;
  /** The keys in addition to the common ones; they may replace some of those. */
  readonly keys: K;
  /** Reports mistakes that involve several keys; invalid keys are `undefined`. */
  problems?(field: Partial<Declared<K>>, at: Diagnostics): void;
  /** Default: `labelled`. */
  readonly layout?: Layout;
  /** The code or the message for a required field that is empty. Default: `missing`. */
  readonly missing?: string | MessageFor<Declared<K>>;
  /** A sentence under the label that describes the expected value, in addition to the owner's `help`. */
  hint?(field: Declared<K>): Message | readonly Message[] | undefined;
  /** All accepted values, if the keys list them. */
  offered?(field: Declared<K>): readonly string[];
  takesSeveral?(field: Declared<K>): boolean;
  /** @internal Whether several non-empty values are a mistake. Plain fields accept them all (SPEC: Field). */
  takesOne?(field: Declared<K>): boolean;
  /** Normalizes a typed value, such as `３` to `3`. An empty text means that the field is empty. */
  normalizeValue?(field: Declared<K>, value: string): string;
  /** How the form's script compares its values, such as `number`. Default: as text, or as the relay normalizes them. */
  readonly comparedAs?: Kind;
  /** The canonical form of a submitted or stored value, for comparisons. Default: by `comparedAs`. */
  canonical?(field: Declared<K>, value: string): string;
  /** @internal The mistake in one non-empty value. Default: it must be one of the offered values. */
  checkValue?(field: Declared<K>, value: string, submission: Submission): Message | undefined;
  /** @internal The mistake in the values as a whole. */
  check?(field: Declared<K>, values: readonly string[], submission: Submission): Message | undefined;
  /** The value that outputs get for a valid value, if it differs. */
  store?(field: Declared<K>, value: string, submission: Submission): string;
  /** Stored values for people, such as labels of options. `label` is the text beside them. Default: the stored values. */
  words?(field: Declared<K>, values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** Whether to show the words as items of a list or lines of a block. Default: a list if there are several. */
  readonly shape?: 'list' | 'block';
  /** Stored values in JSON; `undefined` omits them. Default: a text, or a list of texts. */
  json?(field: Declared<K>, values: readonly string[]): unknown;
  /**
   * Makes this a derived field, which visitors do not fill in: the relay computes its values, such as a total, from
   * other fields. Called once for each form. Conditions and checks see the result. Submitted values are ignored.
   */
  derive?(field: Declared<K>, fields: readonly Field[], at: Diagnostics): Derivation | undefined;
  /** @internal */ inputs?(field: Declared<K>): Inputs;
  /** For a field of files: the accepted files, or the mistake in one of them. The relay makes their names safe and unique. */
  takeFiles?(field: Declared<K>, sent: readonly SentFile[]): TakenFiles;
  /** Fields right after this one in the form, such as the drawing of a signature. Their names start with this field's name and a dot. */
  further?(field: Declared<K>): readonly FurtherField[];
  /** Only the visitor fills it in, again each time: links cannot prefill it, and browsers do not store it. */
  readonly isReentered?: true;
  /** A script for forms that the relay's own script does not submit. */
  readonly script?: Html;
  /** The script that forms load for this type, a name in `Plugin.scripts`. */
  readonly part?: string;
  /** The control without its label, help and error; for a group, all its controls. */
  control(field: Declared<K>, state: ControlState): Html;
}

/** A field that is added to another one and shown under the same condition. Links cannot prefill it. */
export interface FurtherField {
  readonly name: string;
  readonly type: FieldType;
  /** `{field}` in its text is the label of the other field. */
  readonly label: Message;
}

export type TakenFiles =
  | { readonly files: readonly UploadedFile[] }
  | { readonly error: Message; readonly at?: number };

/** @internal */
export interface Field extends Pick<FieldType, 'shape' | 'part'> {
  /** The name of the field that added this one. */
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
  /** @internal All accepted values, if no page shows them. */
  readonly accepted?: readonly string[] | undefined;
  readonly takesSeveral: boolean;
  /** @internal */ readonly takesOne: boolean;
  /** Normalizes the values of the submission; `undefined` leaves them unchanged. */
  /** @internal */ readonly normalize?: ((sent: Values) => readonly string[] | undefined) | undefined;
  /** @internal How the form's script compares its values. */
  readonly comparedAs: Kind;
  /** The canonical form of a submitted or stored value, for conditions, comparisons and `once`. */
  canonical(value: string): string;
  /** @internal The canonical form of a value in a condition, or of a part of one; `undefined` if the field never has it. */
  readonly wanted?: ((value: string, isPart: boolean) => string | undefined) | undefined;
  check(values: readonly string[], submission: Submission): FieldError | undefined;
  readonly store?: ((value: string, submission: Submission) => string) | undefined;
  readonly samples?: ((now: number) => readonly (readonly string[])[] | undefined) | undefined;
  /** The stored values for people, without empty ones. `label` is the text next to them. */
  words(values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** The stored values in JSON, such as a number or a boolean; `undefined` omits them. */
  json(values: readonly string[]): unknown;
  /** The fields that are submitted in place of this one. */
  readonly inputs?: Inputs | undefined;
  /** @internal */ readonly derive:
    | ((fields: readonly Field[], at: Diagnostics) => Derivation | undefined)
    | undefined;
  /** @internal */ readonly further?: readonly Field[] | undefined;
  /** @internal */ readonly takeFiles:
    | ((sent: readonly SentFile[], names: Set<string>) => TakenFiles)
    | undefined;
  /** Links cannot prefill it. */
  readonly isClosedToLinks?: true | undefined;
  /** @internal For an input of a field: what it belongs to, such as "Guest 2", unless its own label shows that. */
  readonly owner?: Labelled | undefined;
  /** @internal For an input of a field: the path to it in JSON. */
  readonly path?: readonly (string | number)[] | undefined;
  /** @internal Required only once another input of the field is filled in, which browsers cannot check. */
  readonly isLenient?: boolean | undefined;
  /** @internal The share of a row that it takes if the form is wide enough. Default: all of it. */
  readonly width?: 'full' | 'half' | 'third' | 'two_thirds' | undefined;
  /** @internal Classes of the field override those of the form. */
  readonly classes?: Classes | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  /** @internal */ readonly attributes?:
    | ((locale: Locale) => Readonly<Record<string, string | undefined>>)
    | undefined;
  /** @internal The owner's text for an error of this field. */
  readonly ownWords?: ((error: Message, locale: Locale) => string | undefined) | undefined;
  control(state: ControlState): Html;
  /** The same field with other keys: as an input of another field, or with other options. */
  withKeys(keys: Partial<Omit<Field, 'type'>> & Readonly<Record<string, unknown>>): Field;
}

export const fieldType = <K extends Properties>(definition: FieldType<K>): FieldType => definition;

/** The first value, or all of them if the field may have several; `undefined` without any. */
export const single = <T>(values: readonly T[], takesSeveral = false): T | readonly T[] | undefined =>
  takesSeveral || values.length > 1 ? (values.length > 0 ? values : undefined) : values[0];

/** Every field that has its own name in a submission: a field, or its inputs. */
export const inputsOf = (fields: readonly Field[]): readonly Field[] =>
  fields.some(({ inputs }) => inputs) ? fields.flatMap((field) => field.inputs?.all ?? field) : fields;

/** The submitted values as the fields interpret them. */
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
