/** Responses that depend on what was sent: `thanks`, and `redirect_with`. */

import { chain } from '@form-relay/base/maybe_promise';
import { withoutEmpty } from '@form-relay/base/values';
import type {
  Diagnostics,
  Field,
  Hooks,
  LocalizedText,
  Outcome,
  Plugin,
  Submission,
  Values,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { onOutcome } from '@form-relay/core/submission';
import { array, object } from '@form-relay/schema/collections';
import { condition, holdsFor } from '@form-relay/schema/condition';
import { checkCondition } from '@form-relay/schema/condition_check';
import { name } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { answeredValues, answeringText, checkFields, checkName, renderText } from './answering_text.ts';
import { redirectAddress, type Thanks } from './index.ts';

type Answer = (
  submission: Submission,
  values: Values,
  trace?: Submission['trace'],
) => Partial<Outcome> | undefined;

/** Completes the response to delivered submissions, including those with a confirmed address, and to dropped ones. */
const answering = (answer: Answer): Pick<Hooks, 'onRequest' | 'afterValidation'> => ({
  onRequest: onOutcome((outcome, submission) =>
    outcome.kind === 'dropped' ? { ...outcome, ...answer(submission, answeredValues(submission)) } : outcome,
  ),
  afterValidation: (next) => (submission) => {
    const own = answer(submission, submission.values, submission.trace);
    // A payment first redirects to its own page.
    return chain(next(submission), (outcome) => (outcome.message ? outcome : { ...own, ...outcome }));
  },
});

const entry = object(
  {
    when: optional(
      'Uses the entry only if fields have certain values: `{field: kind, is: business}`. Hidden fields count as empty. Only the last entry can omit it.',
      condition,
    ),
    text: optional(
      'The text for visitors, with templates: `Thank you, {{ .fields.name }}.` May contain links like `confirmation`, outside of templates. Default: `confirmation`.',
      answeringText(),
    ),
    redirect: optional('Address to redirect to, instead of the form’s `redirect`.', redirectAddress()),
  },
  '{when: {field: kind, is: business}, text: We will call you.}',
);

/** Longer URLs fail on some servers, so values that would exceed this are omitted. */
const mostCharacters = 2_000;

/** The URL with fields in its query, before the fragment. Parameters that it already has stay unchanged. */
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

const thanks = feature({
  name: 'thanks',
  after: ['redirect', 'double_opt_in'],
  keys: {
    form: {
      thanks: optional(
        'Texts or pages that depend on the values: the first entry whose `when` is true, otherwise `confirmation` and `redirect`.',
        array(entry, { least: 1 }),
      ),
      redirect_with: optional(
        'Fields whose values are added to the URL of `redirect`: `[plan, name]`. The URL can have 2,000 characters; values that do not fit are left out. The logs of that site will contain the values.',
        array(name(), { least: 1 }),
      ),
    },
  },
  configure: ({ form, fields, provided }, at) => {
    const { thanks = [] } = form;
    for (const [index, { when, text, redirect }] of thanks.entries()) {
      const place = at.in('thanks', index);
      if (when) checkCondition(when, fields, place.in('when'));
      else if (index < thanks.length - 1 && !place.in('when').isWrong)
        place.error(
          'this entry always applies, so the entries below are never used; add when, or move it to the end',
        );
      if (text) checkFields(text, { fields, provided }, place.in('text'));
      else if (!redirect && !place.isWrong)
        place.warning('this entry has no effect: visitors see the confirmation; add text or redirect');
    }
    const own = provided.get('redirect');
    const others = thanks.flatMap(({ redirect }) => redirect ?? []);
    const names = checkNames(form.redirect_with, own === undefined ? others : [own, ...others], fields, at);
    if (!form.thanks && names.length === 0) return undefined;
    const provides: Thanks = {
      redirects: others.length > 0,
      indexFor: (values) => thanks.findIndex(({ when }) => !when || holdsFor(when, values, fields)),
      answer(submission, values) {
        const { text, redirect = own } = thanks[provides.indexFor(values)] ?? {};
        return {
          ...(text && { confirmation: (locale) => renderText(text, submission, locale) }),
          ...(redirect && { redirect: (locale) => withValues(locale.text(redirect), names, values) }),
        };
      },
    };
    return {
      provides,
      ...answering((submission, values, trace) => {
        const found = provides.indexFor(values);
        if (form.thanks)
          trace?.note(
            found < 0 ? 'no entry of thanks applies: the confirmation is shown' : `thanks[${found}] is shown`,
          );
        return provides.answer(submission, values);
      }),
    };
  },
});

/** Checks the names in `redirect_with`, which no redirect URL may have in its query already. */
function checkNames(
  names: readonly string[] | undefined,
  addresses: readonly LocalizedText[],
  fields: readonly Field[],
  at: Diagnostics,
): readonly string[] {
  if (!names) return [];
  if (addresses.length === 0) {
    at.in('redirect_with').warning('this has no effect: the form has no `redirect`', { fix: 'remove' });
    return [];
  }
  const queries = addresses
    .flatMap((one) => (typeof one === 'string' ? [one] : [...one.values()]))
    .map((one) => new URL(one).searchParams);
  for (const [index, one] of names.entries()) {
    const place = at.in('redirect_with', index);
    checkName(one, fields, place);
    if (queries.some((query) => query.has(one)))
      place.error(`the query of redirect already has "${one}"; remove one of the two`);
  }
  return names;
}

export const plugin: Plugin = { name: 'thanks', features: [thanks] };
