import * as v from 'valibot';
import type { Html } from '../html.ts';
import type { Finding } from '../schema/finding.ts';
import {
  flag,
  isMap,
  label,
  name,
  optional,
  optionalBlock,
  required,
  section,
  text,
  texts,
  withDefault,
} from '../schema/kinds.ts';
import type { Option } from './options.ts';
import { type PatternBudget, patternBudget } from './pattern.ts';
import { condition } from './visible_when.ts';

/** How a field's control is to be rendered: again, with what the visitor typed and what was wrong with it. */
export interface ControlState {
  /** The id of the control, or of the first one of a group. Unique in the page. */
  readonly id: string;
  /** What the control holds. */
  readonly values: readonly string[];
  /** Whether the browser should demand a value. */
  readonly required: boolean;
  /** For `aria-describedby`: the ids of the help and error paragraphs, if any. */
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  /** Whether the control takes the focus when it appears. */
  readonly autofocus: boolean;
}

/**
 * How a control and its label stand together: a label above it, a fieldset and legend around boxes or radio buttons,
 * the label behind a box, or nothing at all.
 */
export type Layout = 'labelled' | 'group' | 'radiogroup' | 'box' | 'bare';

/** The keys that every field type has. */
export const commonKeys = {
  name: required('Key of the field in the submitted form body.', name()),
  required: withDefault('false', 'Whether a non-empty value must be submitted.', flag()),
  label: optional('What the visitor reads beside the field. Derived from the name when absent.', label()),
  help: optional('A sentence under the label that helps to fill in the field.', text()),
  placeholder: optional('An example shown in the empty field.', text()),
  autocomplete: optional('What browsers may fill in: `name`, `email`, `tel`, `organization`, …', text()),
  value: optional('The initial value; a list for a field that takes several.', texts()),
  visible_when: optionalBlock(
    'Shows the field only while another field holds some value: `{field: kind, is: business}`. ' +
      'A field that is not shown is not validated, and what was submitted for it is discarded.',
    condition(),
  ),
};

type Common = v.InferOutput<v.ObjectSchema<typeof commonKeys, undefined>>;
type Keys = v.ObjectEntries;
type Configured<K extends Keys> = Common & v.InferOutput<v.ObjectSchema<K, undefined>>;

/** A declared field, ready to check what visitors send and to render itself. */
export interface Field extends Common {
  readonly type: string;
  readonly layout: Layout;
  /** What a value must be like, said before anything is wrong. */
  readonly hint: string | undefined;
  /** Of types that offer a choice. */
  readonly options?: readonly Option[];
  /** What the visitor reads when a required value is missing. */
  readonly missing: string;
  /** What is wrong with the non-empty values, as a sentence that says what to do; `undefined` when nothing is. */
  check(values: readonly string[], budget?: PatternBudget): string | undefined;
  /** The control alone, without its label, help and error. A group renders all its controls. */
  control(state: ControlState): Html;
}

export interface FieldType {
  readonly type: string;
  readonly summary: string;
  /** The keys that this type has beyond the common ones, for docs/reference.md. */
  readonly keys: Keys;
  readonly schema: v.GenericSchema<unknown, Field>;
}

interface Definition<K extends Keys> {
  readonly type: string;
  readonly summary: string;
  readonly keys: K;
  readonly missing?: string | ((field: Configured<K>) => string);
  readonly hint?: (field: Configured<K>) => string | undefined;
  readonly layout?: Layout;
  /** Contradictions between keys, found when the config loads. */
  readonly problems?: (field: Configured<K>) => readonly Finding[];
  readonly check: (
    field: Configured<K>,
    values: readonly string[],
    budget: PatternBudget,
  ) => string | undefined;
  readonly control: (field: Configured<K>, state: ControlState) => Html;
}

/** A field type is one such definition: its keys, its check and its control. */
export function fieldType<K extends Keys>(definition: Definition<K>): FieldType {
  const {
    type,
    summary,
    keys,
    missing = 'Enter a value.',
    hint,
    layout = 'labelled',
    problems,
    check,
    control,
  } = definition;
  const entries = {
    type: withDefault(type, 'The field type.', v.literal(type)),
    ...commonKeys,
    ...keys,
  };
  const schema = v.pipe(
    section(entries),
    v.rawTransform(({ dataset, addIssue }) => {
      const field = dataset.value as unknown as Configured<K>;
      for (const { path, message } of problems?.(field) ?? []) {
        addIssue({ message, path: path.map((key) => step(dataset.value, key)) as [v.IssuePathItem] });
      }
      return Object.assign(field, {
        type,
        missing: typeof missing === 'string' ? missing : missing(field),
        hint: hint?.(field),
        layout,
        check: (values: readonly string[], budget = patternBudget()) => check(field, values, budget),
        control: (state: ControlState) => control(field, state),
      });
    }),
  );
  return { type, summary, keys, schema: schema as unknown as v.GenericSchema<unknown, Field> };
}

const step = (input: unknown, key: string | number) =>
  ({ type: 'unknown', origin: 'value', input, key, value: isMap(input) ? input[key] : undefined }) as const;
