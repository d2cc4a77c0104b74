import * as v from 'valibot';
import { wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { textOrNothing } from '../schema/kinds.ts';

/** Characters of class names in any framework; quotes, dots and commas come from copied HTML or CSS. */
const className = /^[^."'`<{},;][^"'`<{}]*(?<![,;])$/;

/** Class names as in HTML, separated by spaces. */
const classNames = () =>
  v.pipe(
    textOrNothing(),
    v.transform((value) => value.trim().replaceAll(/\s+/g, ' ')),
    v.check(
      (value) => value === '' || value.split(' ').every((name) => className.test(name)),
      wrong('not_class_names'),
    ),
    v.metadata({
      jsonSchema: {
        title: 'class names',
        type: ['string', 'null'],
        pattern: '^[^"\'`<{}]*$',
        errorMessage: 'Expected class names with spaces between them.',
      },
    }),
  );

export const classKeys = {
  form: optional('On the `<form>`.', classNames()),
  title: optional('On the heading.', classNames()),
  note: optional('On the line that explains the asterisk.', classNames()),
  field_note: optional('On a note between fields.', classNames()),
  group: optional('On the `<fieldset>` around a group of fields.', classNames()),
  group_legend: optional('On the legend of a group of fields.', classNames()),
  step_title: optional('On the heading of a step.', classNames()),
  progress: optional('On the line that counts the steps.', classNames()),
  field: optional('On what is around a field: its label, help, control and error.', classNames()),
  label: optional('On the label above a control.', classNames()),
  legend: optional(
    'On the legend of a group of choices, or of an entry that repeats. Default: as `label`.',
    classNames(),
  ),
  required: optional('On the mark of a required field.', classNames()),
  input: optional('On a control to type in, `<textarea>` included.', classNames()),
  select: optional('On a `<select>`.', classNames()),
  range: optional('On a slider.', classNames()),
  output: optional('On a result that is worked out.', classNames()),
  check: optional('On the `<label>` around a box or a radio button and its words.', classNames()),
  check_input: optional('On the box or radio button.', classNames()),
  check_label: optional('On the words beside it.', classNames()),
  help: optional('On the help of a field.', classNames()),
  error: optional('On the message at a field.', classNames()),
  invalid: optional('On a control whose value is wrong, beside its other class names.', classNames()),
  button: optional('On the button that sends the form.', classNames()),
  back: optional(
    'On other buttons: back in a form in steps, to save for later, and those of a repeat, a ranking or a signature. Default: as `button`.',
    classNames(),
  ),
  summary: optional('On the heading above the messages, where several fields are wrong.', classNames()),
  errors: optional('On the list of messages about the whole form.', classNames()),
  confirmation: optional('On what stands in place of the form once it was sent.', classNames()),
};

export type Classes = { readonly [Key in keyof typeof classKeys]?: string | undefined };

/** The relay's own class, for scripts and styles, and the site's classes. */
export const withOwn = (own: string, added: string | undefined): string => (added ? `${own} ${added}` : own);

/** Of a legend, and of a button that does not send the form. */
export const legendClass = ({ label, legend = label }: Classes = {}) => legend;
export const backClass = ({ button, back = button }: Classes = {}) => back;

interface Control {
  readonly classes: Classes | undefined;
  readonly invalid: boolean;
}

export function controlClass(
  { classes, invalid }: Control,
  kind: 'input' | 'select' | 'range' | 'check_input' | 'output',
): string | undefined {
  if (!classes) return undefined;
  return [classes[kind], invalid && classes.invalid].filter(Boolean).join(' ') || undefined;
}
