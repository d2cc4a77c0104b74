import { partsInFormCode } from '../../../built/inline.ts';
import { attributes, html } from '../../base/html.ts';
import { fieldsForLater } from '../../fields/kept.ts';
import { hashSource } from '../../pages/page_view.ts';
import { textAttributes } from '../../pages/script_attributes.ts';
import type { OwnAnswers } from '../feature.ts';

export const rememberAnswers = (ms: number): OwnAnswers => ({
  // Pages with htmx load no script of the relay's.
  add: (form, { answer, medium }) => {
    if (medium === 'fragment') return {};
    const fields = fieldsForLater(form.fields).map(({ name }) => name);
    const rule = { ms, fields, ...(answer?.sent && { again: true }) };
    return {
      attributes: html`${attributes({ 'data-remember': JSON.stringify(rule) })}${textAttributes(form, words)}`,
      part: 'remember',
    };
  },
  policy: (_, { kind, hasScript }) =>
    kind === 'sent' || hasScript ? {} : { scripts: ["'self'", hashSource(partsInFormCode)] },
});

const words = {
  'remember-offer': 'remember_offer',
  'remember-continue': 'remember_continue',
  'remember-anew': 'remember_anew',
} as const;
