/** Answers that depend on what was sent: `thanks`, and `redirect_with`. */

import { chain } from '@form-relay/base/maybe_promise';
import { withoutEmpty } from '@form-relay/base/values';
import type { Hooks, Locale, Outcome, Plugin, Submission, Values } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { onOutcome } from '@form-relay/core/submission';
import { array, object } from '@form-relay/schema/collections';
import { condition, holdsFor } from '@form-relay/schema/condition';
import { checkCondition } from '@form-relay/schema/condition_check';
import { name } from '@form-relay/schema/scalars';
import { optional, required } from '@form-relay/schema/schema';
import { answeredValues, answeringText, checkFields, checkName, renderText } from './answering_text.ts';

type Answer = (
  submission: Submission,
  values: Values,
  trace?: Submission['trace'],
) => Partial<Outcome> | undefined;

/** Completes the answer to what was delivered, also after a confirmed address, and that to what was dropped. */
const answering = (answer: Answer): Pick<Hooks, 'onRequest' | 'afterValidation'> => ({
  onRequest: onOutcome((outcome, submission) =>
    outcome.kind === 'dropped' ? { ...outcome, ...answer(submission, answeredValues(submission)) } : outcome,
  ),
  afterValidation: (next) => (submission) => {
    const own = answer(submission, submission.values, submission.trace);
    return chain(next(submission), (outcome) => (outcome.message ? outcome : { ...outcome, ...own }));
  },
});

const entry = object(
  {
    when: optional(
      'Whom it thanks: `{field: kind, is: business}`. A field that was not shown counts as empty. Only the last entry goes without.',
      condition,
    ),
    text: required(
      'What they read, as a template: `Thank you, {{ .fields.name }}.` Links as in `confirmation`, outside of templates.',
      answeringText(),
    ),
  },
  '{when: {field: kind, is: business}, text: We will call you.}',
);

const thanks = feature({
  name: 'thanks',
  after: ['double_opt_in'],
  keys: {
    form: {
      thanks: optional(
        'What the visitor reads in place of `confirmation`, by what was filled in: the first entry whose `when` holds. `confirmation` follows where none does.',
        array(entry, { least: 1 }),
      ),
    },
  },
  configure: ({ form, fields, provided }, at) => {
    const { thanks } = form;
    if (!thanks) return undefined;
    for (const [index, { when, text }] of thanks.entries()) {
      const place = at.in('thanks', index);
      if (when) checkCondition(when, fields, place.in('when'));
      else if (index < thanks.length - 1 && !place.in('when').isWrong)
        place.error('it always holds, so that no entry below it is ever read; add when, or put it last');
      if (text) checkFields(text, { fields, provided }, place.in('text'));
    }
    return answering((submission, values, trace) => {
      const found = thanks.findIndex(({ when }) => !when || holdsFor(when, values, fields));
      trace?.note(found < 0 ? 'no entry holds, so it says the confirmation' : `it says thanks[${found}]`);
      const { text } = thanks[found] ?? {};
      return text && { confirmation: (locale) => renderText(text, submission, locale) };
    });
  },
});

/** Longer addresses are too long for some servers, so values that would exceed it are left out. */
const mostCharacters = 2_000;

/** The address with fields in its query, before the fragment. Parameters already in it stay as they are. */
function withValues(address: string, names: readonly string[], values: Values): string {
  const url = new URL(address);
  for (const name of names)
    for (const value of withoutEmpty(values.get(name) ?? [])) {
      const added = new URLSearchParams([[name, value]]);
      const search = url.search === '' ? `?${added}` : `${url.search}&${added}`;
      if (url.href.length + search.length - url.search.length <= mostCharacters) url.search = search;
    }
  return url.href;
}

const redirectWith = feature({
  name: 'redirect_with',
  after: ['redirect', 'double_opt_in'],
  keys: {
    form: {
      redirect_with: optional(
        'The declared fields whose values the query of `redirect` gets, encoded, under their own names: `[plan, name]`. The address has 2,000 characters at most; values for which it has no room are left out. They stand in the logs of that site.',
        array(name(), { least: 1 }),
      ),
    },
  },
  configure: ({ form: { redirect_with: names }, fields, provided }, at) => {
    if (!names) return undefined;
    const redirect = provided.get('redirect');
    if (redirect === undefined) {
      at.in('redirect_with').warning('nobody is led anywhere: the form has no `redirect`', { fix: 'remove' });
      return undefined;
    }
    const addresses = typeof redirect === 'string' ? [redirect] : [...redirect.values()];
    for (const [index, one] of names.entries()) {
      const place = at.in('redirect_with', index);
      checkName(one, fields, place);
      if (addresses.some((address) => new URL(address).searchParams.has(one)))
        place.error(`the query of redirect has "${one}" already; leave one of the two out`);
    }
    return answering((_, values) => ({
      redirect: (locale: Locale) => withValues(locale.text(redirect), names, values),
    }));
  },
});

export const plugin: Plugin = { name: 'thanks', features: [thanks, redirectWith] };
