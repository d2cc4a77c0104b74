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

/** What rules of CSS cannot give: the parts for which frameworks have classes of their own. */
export const classKeys = {
  form: optional('On the `<form>`.', classNames()),
  field: optional('On what is around a field: its label, help, control and error.', classNames()),
  label: optional('On the label above a control, and on the legend of a group of choices.', classNames()),
  input: optional('On a control to type in, `<textarea>` included.', classNames()),
  select: optional('On a `<select>`.', classNames()),
  check: optional('On the `<label>` around a box or a radio button and its words.', classNames()),
  check_input: optional('On the box or radio button.', classNames()),
  help: optional('On the help of a field.', classNames()),
  error: optional('On the message at a field.', classNames()),
  button: optional('On the button that sends the form.', classNames()),
  back: optional(
    'On other buttons: back in a form in steps, to save for later, and those of a repeat, a ranking or a signature. Default: as `button`.',
    classNames(),
  ),
};

export type Classes = { readonly [Key in keyof typeof classKeys]?: string | undefined };

/** The relay's own class, for scripts and styles, and the site's classes. */
export const withOwn = (own: string, added: string | undefined): string => (added ? `${own} ${added}` : own);

/** Of a button that does not send the form. */
export const backClass = ({ button, back = button }: Classes = {}) => back;
