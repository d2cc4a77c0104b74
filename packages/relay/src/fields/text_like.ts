import * as v from 'valibot';
import { attributes, html } from '../base/html.ts';
import { late } from '../base/late.ts';
import { withLineFeeds } from '../base/values.ts';
import type { Message } from '../messages/message.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { report } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { number, text } from '../schema/kinds.ts';
import { withoutLinks } from '../schema/linked_text.ts';
import type { ControlState, Field } from './field.ts';

export const latePattern = late(() => import('./pattern/pattern.ts'), 'pattern');

/** The keys of types with typed text: text, email, textarea, url, tel. */
export const textLikeKeys = {
  min_length: optional(
    'The fewest characters, counted as browsers count them: UTF-16 units, a line break as one.',
    number({ least: 0, whole: true }),
  ),
  max_length: optional(
    'The most characters, counted as `min_length` does.',
    number({ least: 1, whole: true }),
  ),
  pattern: optional(
    'A regular expression, as in HTML (with the `v` flag), that the whole value must match. Avoid repetition inside repetition, such as `(a+)+`: matching it can take very long.',
    v.pipe(
      text(),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        // A config that names a pattern has loaded them.
        const pattern = latePattern.loaded.readPattern(dataset.value);
        if (pattern) return pattern;
        addIssue(report(finding('not_a_pattern', [])));
        return NEVER;
      }),
      v.metadata({ jsonSchema: { title: 'regular expression', type: ['string', 'number'] } }),
    ),
  ),
};

type Lengths = Pick<Field, 'min_length' | 'max_length'>;

export function textLikeProblems({ min_length, max_length }: Lengths): readonly Finding[] {
  return min_length !== undefined && max_length !== undefined && min_length > max_length
    ? [finding('value_below', ['max_length'], { value: max_length, key: 'min_length', least: min_length })]
    : [];
}

/** Checks the lengths; field_type.ts matches the pattern. */
export function checkTextLike({ min_length, max_length }: Lengths, value: string): Message | undefined {
  if (min_length === undefined && max_length === undefined) return undefined;
  const { length } = withLineFeeds(value);
  if (min_length !== undefined && length < min_length)
    return { code: 'too_short', params: { min: min_length } };
  if (max_length !== undefined && length > max_length)
    return { code: 'too_long', params: { max: max_length } };
  return undefined;
}

type Typed = Lengths & Pick<Field, 'name' | 'help' | 'placeholder' | 'autocomplete' | 'pattern'>;

export function controlAttributes(
  field: Typed,
  state: ControlState,
  kind: 'input' | 'select' | 'check_input' = 'input',
) {
  return {
    id: state.id,
    class: state.classes?.[kind],
    name: field.name,
    required: state.required,
    autofocus: state.autofocus,
    autocomplete: field.autocomplete,
    'aria-invalid': state.invalid && 'true',
    'aria-describedby': state.describedBy,
  };
}

export function input(
  type: string,
  field: Typed,
  state: ControlState,
  more?: Readonly<Record<string, string | number | undefined>>,
) {
  const own = {
    value: state.values[0] || undefined,
    placeholder: field.placeholder,
    minlength: field.min_length,
    maxlength: field.max_length,
    pattern: field.pattern?.source,
    dir: state.dir,
    // Browsers show the title if the pattern does not match.
    title: field.pattern && field.help && withoutLinks(field.help),
  };
  const rest = more ? { ...own, ...more } : own;
  return html`<input type="${type}"${attributes(controlAttributes(field, state))}${attributes(rest)}>`;
}
