import type { Formula } from '@form-relay/element/formula/work_out';
import type * as v from 'valibot';
import type { Condition } from '../base/condition.ts';
import type { SentFile, UploadedFile } from '../base/files.ts';
import type { Html } from '../base/html.ts';
import type { FieldError } from '../base/outcome.ts';
import type { Result } from '../base/result.ts';
import type { Values } from '../base/values.ts';
import type { Spread } from '../bodies/sent.ts';
import type { Message, Say } from '../messages/message.ts';
import { condition } from '../schema/condition.ts';
import type { Finding } from '../schema/finding.ts';
import { optional, optionalBlock, perLanguage, required, withDefault } from '../schema/keys.ts';
import { choice, flag, label, name, text, texts } from '../schema/kinds.ts';
import { withoutLinks } from '../schema/linked_text.ts';
import type { Classes } from './classes.ts';
import type { Pattern, Steps } from './pattern/pattern.ts';

/** The state of a rendered control, with the visitor's values and whether they are invalid. */
export interface ControlState {
  readonly say: Say;
  /** The id of the control, or of the first one in a group. Unique on the page. */
  readonly id: string;
  readonly values: readonly string[];
  readonly required: boolean;
  /** For `aria-describedby`: the ids of the help and the error, if any. */
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly classes: Classes | undefined;
  /** `auto` if typed text may run in the other direction than the form. */
  readonly dir: 'auto' | undefined;
  readonly autofocus: boolean;
  readonly parts: readonly RenderedPart[];
  /** Those of an entry that a script adds. */
  readonly blank: readonly RenderedPart[];
}

export interface RenderedPart {
  readonly part: Field;
  readonly markup: Html;
}

/**
 * The arrangement of a control and its label: a label above it, a fieldset with a legend around choices, the label
 * behind a box, neither, or a fieldset around other fields.
 */
export type Layout = 'labelled' | 'group' | 'radiogroup' | 'box' | 'bare' | 'parts';

export const commonKeys = {
  name: required('Key of the field in the submitted form body.', name()),
  required: withDefault('false', 'Whether a non-empty value must be submitted.', flag()),
  label: optional(
    'What the visitor reads beside the field. Derived from the name when absent. It may hold links: `[words](https://…)`.',
    perLanguage(label()),
  ),
  help: optional(
    'A sentence under the label that helps to fill in the field. It may hold links: `[words](https://…)`.',
    perLanguage(text()),
  ),
  placeholder: optional('An example shown in the empty field.', perLanguage(text())),
  autocomplete: optional('What browsers may fill in: `name`, `email`, `tel`, `organization`, …', text()),
  from_query: withDefault(
    'true',
    'Whether a link may fill the field: `/api/v1/form/contact?email=…`. `false` is for a `hidden` field that decides ' +
      'where something goes.',
    flag(),
  ),
  remember: withDefault(
    'true',
    'Whether browsers may keep what was typed into the field: over a reload, if the form has `steps`, and for later, if ' +
      'it has `remember` or `resume`. `false`, or `autocomplete: off`, is for what should not be stored there. Files ' +
      'never are.',
    flag(),
  ),
  value: optional('The initial value; a list for a field that takes several.', texts()),
  width: withDefault(
    'full',
    'How much of a row the field takes where the form is wide enough: `full`, `half`, `third` or `two_thirds`. ' +
      'Narrower fields that follow each other stand side by side.',
    choice(['full', 'half', 'third', 'two_thirds']),
  ),
  visible_when: optionalBlock(
    'Shows the field only while another field holds some value: `{field: kind, is: business}`. ' +
      'A field that is not shown is not validated, and what was submitted for it is discarded.',
    condition(),
  ),
};

type Common = v.InferOutput<v.ObjectSchema<typeof commonKeys, undefined>>;

export interface Option {
  readonly value: string;
  readonly label: string;
  /** It cannot be chosen now. */
  readonly disabled?: true;
  /** The number that it stands for in formulas. */
  readonly worth?: number | undefined;
}

export interface Field extends Common {
  readonly type: string;
  readonly layout: Layout;
  /** Shown before any error. */
  readonly hint: Message | undefined;
  /** Stands in forms that packages/element/src/element does not send. */
  readonly script: Html | undefined;
  readonly options?: readonly Option[];
  /** All accepted values, if the keys list them; `undefined` for free text. */
  readonly possibleValues: readonly string[] | undefined;
  /** The JSON type. A flag is `true` if the box is ticked; the value of a structure is JSON itself. */
  readonly inJson: 'text' | 'number' | 'flag' | 'structure';
  /** The fields that a field consists of, once the form's language is known. */
  readonly parts?: Parts | undefined;
  /** For a part: what it belongs to, such as "Guest 2", where its label alone would not say. */
  readonly owner?: string | undefined;
  /** For a part: where it is in JSON. */
  readonly steps?: readonly (string | number)[] | undefined;
  /** Required only once something beside it is filled in, which browsers cannot check. */
  readonly isLenient?: boolean;
  readonly takesSeveral: boolean;
  /** Whether several typed values are an error. Plain fields keep them all (SPEC: Field). */
  readonly takesOne: boolean;
  readonly missing: Message;
  readonly pattern?: Pattern;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min?: number | string;
  readonly max?: number | string;
  /** The error of the non-empty values; `undefined` if they are valid. Without `match`, slow patterns are not tried. */
  check(values: readonly string[], match?: Match): FieldError | undefined;
  /**
   * For file fields: accepts the uploaded files, or returns the error. File names are unique in a submission: `names`
   * has those already taken.
   */
  readonly takeFiles?:
    | ((sent: readonly SentFile[], names: Set<string>) => Result<readonly UploadedFile[], FieldError>)
    | undefined;
  /** The script that the form loads for it: `/api/v1/<part>.js`. */
  readonly part?: FieldPart | undefined;
  /** The field of the drawing that its control sends beside its text. It is the form's as any other, and has no label of its own there. */
  readonly drawing?: ((say: Say) => Field) | undefined;
  /** For such a drawing: the name of the field that it belongs to. */
  readonly drawingOf?: string | undefined;
  /** For such a drawing: the file that was sent as text. */
  readonly fileIn?: ((text: string) => SentFile) | undefined;
  /** The values that are meant by all that its controls sent under its name. */
  readonly joined?: ((values: readonly string[]) => readonly string[]) | undefined;
  /** The value that is meant by another one, such as `DE` by `de`; the empty text if it is no answer. */
  readonly meant?: ((value: string) => string) | undefined;
  /** The same field with the words of a language: its options have none in the config. */
  readonly inLanguage?: ((say: Say, language: string, everywhere: InEachLanguage) => Field) | undefined;
  /** For computed fields: how the result follows from others. */
  readonly computes?: Formula;
  readonly among?: ((fields: readonly Field[], language: string) => Field) | undefined;
  /** For computed fields: the values with all results of the form, in place of what was sent for them. */
  readonly withResults?: ((sent: Values, fields: readonly Field[]) => Values) | undefined;
  /** For file fields: the same field in a relay that receives at most so many bytes at once. */
  readonly within?: ((bytes: number) => Field) | undefined;
  /** For times: the same field in a form of this time zone. */
  readonly inZone?: ((zone: string) => Field) | undefined;
  /** What outputs get for a valid value, if that is not the value itself. `receivedAt`: milliseconds since the epoch. */
  readonly stored?: ((value: string, receivedAt: number) => string) | undefined;
  /** What JSON has for a stored value, if that is not its text. */
  readonly structured?: ((stored: string) => unknown) | undefined;
  /** Whether people read its values with their places: `1. Espresso`. */
  readonly isOrdered?: true;
  /** A stored value for people, if it reads better in another way. `label`: what stands beside it. */
  readonly inWords?: ((stored: string, label?: string) => string) | undefined;
  readonly withKeys: (keys: PartKeys) => Field;
  readonly mostBytes?: number | undefined;
  /** For the owner; the config loads nevertheless. */
  readonly warnings?: readonly Finding[];
  /** The control without its label, help and error; for a group, all its controls. `options`: with other labels than its own. */
  control(state: ControlState, options?: readonly Option[]): Html;
}

export type PartKeys = Partial<
  Pick<
    Field,
    | 'name'
    | 'label'
    | 'required'
    | 'isLenient'
    | 'autocomplete'
    | 'owner'
    | 'steps'
    | 'takesOne'
    | 'width'
    | 'value'
    | 'remember'
  >
>;

/** Below its label: a text, or a list of several. */
export type Shape = 'block' | 'list';

/**
 * The parts of a field. Each is a field by itself, sent as `<field>.<part>`: forms show it, browsers fill it in, and errors
 * name it. Once all are valid, they become one value, the field's own, which is all that outputs see.
 */
export interface Parts {
  readonly all: readonly Field[];
  /** The parts of an entry that a script adds, as the entry 0. */
  readonly blank?: readonly Field[];
  /** The parts in the form, given what was sent. */
  readonly shown: (values: Values) => readonly Field[];
  /** The parts to validate, given what was sent. */
  readonly asked: (values: Values) => readonly Field[];
  /** What is wrong with all parts together, given all that was sent. */
  readonly problem?: (sent: Values) => Message | undefined;
  /** Whether a name would be that of a part if there were more of them. What is sent under it must not get lost. */
  readonly isBeyond?: (name: string) => boolean;
  /** With what was sent under such names in free places, so that a form that comes back shows it. */
  readonly renumbered?: (sent: Values) => Values;
  /** The field's own value, as what JSON is made of; `undefined` if no part is filled in. */
  readonly gather: (values: Values) => object | undefined;
  /** What the parts would send for such a value, whatever it is. The form may not know all the names. */
  readonly spread: (value: unknown) => Spread;
  /** The field's value for people: a text for each item. */
  readonly words: (value: object) => readonly string[];
  /** How these are shown, however many there are. */
  readonly shape: Shape;
}

/**
 * Matches a value against a pattern; `undefined` if the result is not known yet. `mismatch` is the field's error then.
 */
export type Match = (pattern: Pattern, value: string, mismatch: FieldError) => boolean | undefined;

/** About a millisecond of the event loop for all patterns of a submission. */
export const stepsOnLoop = (): Steps => ({ left: 100_000 });

/** How often a field of type `repeat` may repeat, and how often it does without `most`. */
export const mostEntries = 50;
export const usualEntries = '10';

export type FieldPart = 'tel' | 'ranking' | 'signature';

/** A field as its config has it in each language of the form. The one language of a form may have no name. */
export type InEachLanguage = readonly (readonly [language: string, field: Pick<Field, 'label'>])[];

/** `first_name` becomes "First name". Plain text, without the links of a label. */
export function labelOf({ label, name }: Pick<Field, 'label' | 'name'>): string {
  if (label !== undefined) return withoutLinks(label);
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Every field that is sent under a name of its own: a field, or its parts in its place. */
export const inputsOf = (fields: readonly Field[]): readonly Field[] =>
  fields.some(({ parts }) => parts) ? fields.flatMap((field) => field.parts?.all ?? field) : fields;

/** The fields to validate: each after its parts. */
export const askedOf = (fields: readonly Field[], values: Values): readonly Field[] =>
  fields.some(({ parts }) => parts)
    ? fields.flatMap((field) => (field.parts ? [...field.parts.asked(values), field] : field))
    : fields;

export const drawingOf = (name: string): string => `${name}.drawn`;

/**
 * The fields that are visible, given the submitted values. A condition about a hidden field does not hold, so
 * conditions chain. The config has no cycles (checked when it loads).
 */
export function visibleFields<F extends { readonly name: string; readonly visible_when?: Condition }>(
  fields: readonly F[],
  values: Values,
): readonly F[] {
  if (fields.every((field) => !field.visible_when)) return fields;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const isVisible = (field: F | undefined): boolean => {
    if (!field) return false;
    const { visible_when: when } = field;
    return !when || (isVisible(byName.get(when.field)) && when.holds(values.get(when.field) ?? []));
  };
  return fields.filter(isVisible);
}
