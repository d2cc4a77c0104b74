/** `classes`: the site's class names on the parts of a form. */

import { fieldExtension } from '@form-relay/core/extensions';
import type { Classes, Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { object } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { optional, optionalBlock, schema } from '@form-relay/schema/schema';

/** Characters of class names in any framework. Quotes, dots and commas would come from copied HTML or CSS. */
const className = /^[^."'`<{},;][^"'`<{}]*(?<![,;])$/;

/** Class names as in HTML, separated by spaces. */
const classNames = schema(
  () => ({
    title: 'class names',
    type: ['string', 'number', 'boolean', 'null'],
    pattern: '^[^"\'`<{}]*$',
  }),
  (value, at) => {
    const names =
      value === null ? '' : typeof value === 'string' ? value.trim().replaceAll(/\s+/g, ' ') : undefined;
    return names !== undefined && (names === '' || names.split(' ').every((name) => className.test(name)))
      ? names
      : at.error(
          `found ${shown(value, at)}; separate class names with spaces, without dots, commas or quotes: form-control mb-3`,
        );
  },
);

/** Classes for parts that CSS rules cannot reach, because frameworks style them with their own classes. */
const ofField = {
  field: optional('On the box around a field with its label, help, control and error.', classNames),
  label: optional('On the label above a control, and the legend of a group of choices.', classNames),
  input: optional('On a text control, including `<textarea>`.', classNames),
  select: optional('On a `<select>`.', classNames),
  check: optional('On the `<label>` around a box or radio button and its text.', classNames),
  check_input: optional('On the box or radio button.', classNames),
  wrapper: optional('On the box around a control and its `prefix` or `suffix`.', classNames),
  affix: optional('On the `prefix` and `suffix`.', classNames),
  help: optional('On the help of a field.', classNames),
};

const block = object({
  form: optional('On the `<form>`.', classNames),
  ...ofField,
  error: optional('On the message at a field.', classNames),
  button: optional('On the button that sends the form.', classNames),
  back: optional(
    'On other buttons: *Back* in steps, and those of a `repeat`. Default: as `button`.',
    classNames,
  ),
});

const ownClasses = fieldExtension({
  name: 'classes',
  keys: {
    classes: optionalBlock(
      'Class names of your site for the parts of this field. Overrides those of the form.',
      object(ofField, '{field: col-md-6}'),
    ),
  },
  // Empty ones also override: those parts then have no class.
  configure: ({ classes }) =>
    classes && {
      members: {
        classes: Object.fromEntries(
          Object.entries(classes).map(([part, names]) => [part, names || undefined]),
        ),
      },
    },
});

const classes = feature({
  name: 'classes',
  keys: {
    form: {
      classes: optionalBlock(
        'Class names of your site for the parts of this form. Overrides those at the top.',
        block,
      ),
    },
    top: {
      classes: optionalBlock(
        'Class names of your site for the parts of all forms, added to the relay’s.',
        block,
      ),
    },
  },
  configure: ({ form, top }) => {
    // The form's own classes override the others, even if empty: those parts then have no class.
    const named = Object.entries({ ...top.classes, ...form.classes }).filter(([, names]) => names);
    if (named.length === 0) return undefined;
    const classes: Classes = Object.fromEntries(named);
    return {
      view: (view) => ({ ...view, classes }),
      // The script shows errors, so it needs the class, too.
      markup: ({ medium }) => (medium ? { attributes: { 'data-error-class': classes.error } } : {}),
    };
  },
});

export const plugin: Plugin = { name: 'classes', fieldExtensions: [ownClasses], features: [classes] };
