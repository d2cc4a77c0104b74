/** `remember`: what visitors typed stays in their browser for later (docs/saving-for-later.md). */
import type { Field, Plugin } from '@form-relay/core/index';
import { boolean, duration, feature, fieldExtension, optional, withDefault } from '@form-relay/core/kit';

const rememberField = fieldExtension({
  name: 'remember',
  keys: {
    remember: withDefault(
      'true',
      'Whether browsers may keep what was typed into the field: over a reload, if the form has `steps`, and for later, if ' +
        'it has `remember` or `resume`. `false`, or `autocomplete: off`, is for what should not be stored there. Files ' +
        'never are.',
      boolean(),
    ),
  },
  configure: () => undefined,
});

const remember = feature({
  name: 'remember',
  keys: {
    form: {
      remember: optional(
        'How long the visitor’s browser keeps what was typed until the form is sent, such as `7d`, and offers it to a visitor who comes back. Needs the form’s script or a page of the relay’s (docs/saving-for-later.md).',
        duration({ hasDays: true, leastMs: 60_000, mostMs: 365 * 86_400_000 }),
      ),
    },
  },
  configure: ({ form: { remember: ms }, fields }, at) => {
    if (ms === undefined) return undefined;
    const kept = fieldsForLater(fields).map(({ name }) => name);
    if (kept.length === 0)
      at.in('remember').warning(
        "browsers may keep nothing of this form's fields, so this does nothing; leave it out, or let a field be remembered",
        { fix: 'remove' },
      );
    return {
      // Pages with htmx load no script of the relay's.
      renderMarkup: ({ medium, sent, locale: { translate } }) =>
        medium === undefined
          ? {}
          : {
              part: 'remember',
              attributes: {
                'data-remember': JSON.stringify({ ms, fields: kept, ...(sent && { again: true }) }),
                'data-remember-offer': translate({ code: 'remember_offer', params: { time: '{time}' } }),
                'data-remember-continue': translate({ code: 'remember_continue' }),
                'data-remember-anew': translate({ code: 'remember_anew' }),
              },
            },
    };
  },
});

/** Whether the owner wants nothing of it kept in browsers. */
export const isOptedOut = (field: Field): boolean =>
  Reflect.get(field, 'remember') === false || field.autocomplete?.trim().toLowerCase() === 'off';

/** What browsers call secrets: passwords, codes, and cards. */
const secret = /(^|\s)((current|new)-password|one-time-code|cc-\S+)\s*$/i;

const isForLater = (field: Field): boolean =>
  !isOptedOut(field) &&
  !field.isEnteredAnew &&
  field.type !== 'hidden' &&
  !secret.test(field.autocomplete ?? '');

/** The fields whose values are kept for a visitor who goes on later, or their inputs if some of them are not. */
export const fieldsForLater = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(isForLater).flatMap((field) => {
    const inputs = field.inputs?.all ?? [];
    return inputs.every(isForLater) ? [field] : inputs.filter(isForLater);
  });

export const plugin: Plugin = {
  name: 'remember',
  features: [remember],
  fieldExtensions: [rememberField],
  messages: {
    en: {
      remember_offer: 'You began this form on {time}.',
      remember_continue: 'Continue',
      remember_anew: 'Start anew',
    },
  },
};
