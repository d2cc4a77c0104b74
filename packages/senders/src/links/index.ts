import { html } from '@form-relay/base/html';
import { lockedValues } from '@form-relay/capacity/places/claims';
import { hiddenInput } from '@form-relay/core/html/fragments';
import type {
  FormMarkup,
  FormView,
  Handler,
  Middleware,
  Outcome,
  Plugin,
  Provided,
  Submission,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { refused } from '@form-relay/core/submission';
import { oneOf } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import {
  fixedValues,
  type Link,
  linkField,
  type Opened,
  openedIn,
  openedLink,
  spread,
} from './sealed_link.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    links: 'optional' | 'required';
    link_uses: Withdrawing;
  }
}

const openedBy = ({ sent, form, settings, receivedAt }: Submission): Opened =>
  openedLink(settings.formTokenSecret, form, sent, receivedAt);

/** Whether the link was sent to one person, so that the form opens only with it. */
const isForOne = (opened: Opened): boolean => 'link' in opened && opened.link.purpose !== undefined;

/** The outcome for a form without its required link. */
const refusalOf = ({ kind }: Opened): Outcome => ({
  ...refused(403, kind === 'expired' ? 'link_expired' : 'link_missing'),
  kind: 'link_needed',
  isClosed: true,
  by: 'links',
  why: kind === 'expired' ? 'the link has expired' : 'the link is missing or incomplete',
});

/** An input that visitors cannot send: a link's use, stored with a submission that waits for its confirmation. */
const useField = '_link_use';

const singleUse = () => import('./single_use.ts');
/** State of a submission: its link, if that works only once. */
const usedLink = Symbol('link that works once');
/** The data that a feature stored in the submission's link. */
export function purposeIn(submission: Submission, name: keyof Provided): readonly string[] | undefined {
  const link = submission.getState(usedLink) as Link | undefined;
  return link?.purpose?.feature === name ? link.purpose.data : undefined;
}
/** Why the link in a request's URL fills in nothing: the code of the message. */
const spentLinks = new WeakMap<object, string>();

/** Accepts links that fill in the form. */
const links = feature({
  name: 'links',
  before: ['honeypot'],
  keys: {
    form: {
      links: optional(
        'Accepts links of `relay link` that fill in the form; `required` accepts nothing else (docs/links.md). Needs FORM_TOKEN_SECRET.',
        oneOf(['optional', 'required']),
      ),
    },
  },
  configure: ({ form: { links: own } }, at) => {
    // `ask` uses links.
    const written = own ?? (at.in('ask').written === undefined ? undefined : 'optional');
    if (written === undefined) return undefined;
    at.in('links').needsEnv('FORM_TOKEN_SECRET');
    const isRequired = written === 'required';
    const isConfirmed = at.in('double_opt_in').written !== undefined;
    return {
      provides: written,
      reserves: [
        { name: linkField, key: [], what: 'the content of a link that fills in the form' },
        ...(isConfirmed ? [{ name: useField, key: [], what: 'the use of a link that works once' }] : []),
      ],
      browsersOnly: true,
      beforeValidation: (next) => (submission) => {
        const opened = openedBy(submission);
        if (opened.kind !== 'open' && (isRequired || isForOne(opened))) return refusalOf(opened);
        if (isRequired) submission.trace?.note('opened with a valid link');
        if (opened.kind === 'open') {
          const { locked, values } = opened.link;
          submission.sent = fixedValues(submission, opened.link);
          submission.setState(lockedValues, new Map(locked.map((name) => [name, values.get(name) ?? []])));
          if (opened.link.singleUse !== undefined) submission.setState(usedLink, opened.link);
        }
        return next(submission);
      },
      afterValidation: (next) => (submission) => {
        const link = submission.getState(usedLink);
        return link ? deliverOnce(link as Link, isConfirmed, submission, next) : next(submission);
      },
      view: (view) => {
        const opened = openedIn(view);
        const isClosed = isRequired || isForOne(opened);
        if (isClosed && view.request && !view.sent && !view.isLoaded && opened.kind !== 'open')
          return refusalOf(opened);
        if (opened.kind !== 'open') return view;
        const { singleUse: id } = opened.link;
        if (id === undefined || view.isLoaded) return filledIn(view, opened.link);
        return whySpent(id, isClosed, view).then((outcome) => {
          if (!outcome) return filledIn(view, opened.link);
          if (outcome.isClosed && !view.sent) return outcome;
          if (view.request) spentLinks.set(view.request, outcome.message?.code ?? '');
          return view;
        });
      },
      markup: (view): FormMarkup => {
        const opened = openedIn(view);
        if (opened.kind === 'none') return {};
        const spent = view.request && spentLinks.get(view.request);
        if (spent !== undefined) return view.sent ? {} : noteOf(spent, view);
        if (opened.kind === 'open')
          return { inputs: html`${hiddenInput(linkField, opened.sealed)}\n`, isUnstored: true };
        // On a page with several forms, the link may be for another one.
        if (view.sent || (view.medium === 'script' && opened.kind === 'unknown')) return {};
        return noteOf(opened.kind === 'expired' ? 'fill_expired' : 'fill_unknown', view);
      },
    };
  },
});

/** Handles the links of submissions that are confirmed later, or wait in the store. */
const linkUses = feature({
  name: 'link_uses',
  after: ['links', 'double_opt_in'],
  reads: ['links'],
  configure: ({ provided }) => {
    if (provided.get('links') === undefined) return undefined;
    return {
      provides: {
        withdraw: (submission) => singleUse().then(({ withdrawUse }) => withdrawUse(submission)),
      },
      afterValidation: deliverConfirmed,
      aroundDelivery: deliverConfirmed,
    };
  },
});

/** The form with the values of a link, which override other values in the URL. Submitted values already include the locked ones. */
const filledIn = (view: FormView, { values, locked }: Link): FormView => ({
  ...view,
  ...(!view.sent && { values: new Map([...view.values, ...spread(values, view.fields)]) }),
  locked: new Set([...(view.locked ?? []), ...locked]),
});

async function whySpent(
  link: string,
  isClosed: boolean,
  { form, services }: FormView,
): Promise<Outcome | undefined> {
  const { spent, spentNow } = await singleUse();
  const status = services && (await spentNow(form, link, services));
  return status && spent(status, isClosed);
}

async function deliverOnce(link: Link, isConfirmed: boolean, submission: Submission, next: Handler) {
  const { deliverWith, useOf, writeUse } = await singleUse();
  const use = useOf(link, submission);
  if (isConfirmed) submission.values = new Map([...submission.values, [useField, [writeUse(use)]]]);
  return deliverWith(use, submission, next, isConfirmed ? 'held' : 'stored');
}

/** Runs when the submission is confirmed. */
const deliverConfirmed: Middleware = (next) => (submission) => {
  const [use] = submission.values.get(useField) ?? [];
  if (use === undefined) return next(submission);
  submission.values = new Map([...submission.values].filter(([name]) => name !== useField));
  return singleUse().then(({ deliverWith, readUse }) =>
    deliverWith(readUse(use), submission, next, 'stored'),
  );
};

function noteOf(code: string, { locale }: FormView): FormMarkup {
  const note = html`<p class="field-note">${locale.translate({ code })}</p>\n`;
  return { runs: (items) => [note, ...items] };
}

export const plugin: Plugin = {
  name: 'links',
  features: [links, linkUses],
  messages: {
    en: {
      fill_expired: 'This link has expired. You can fill in the form again.',
      fill_unknown:
        'This link is not complete, so nothing was filled in. Please open the whole link, or fill in the form yourself.',
      fill_used:
        'The link that opened this form has already been used. You can fill in and send the form without it.',
      link_used: 'The link that opened this form has already been used. Each link works only once.',
      link_held:
        'This link is in use: a form sent with it is waiting for confirmation by e-mail. Without confirmation, the link will work again.',
      link_uncounted:
        'We cannot check right now whether this link has been used. Your entries are not lost: please send the form again in a moment.',
      link_cancelled: 'This link has been cancelled: your answer is no longer needed.',
      link_missing: 'This form opens only with the link that was sent to you. Please open the whole link.',
      link_expired: 'This link has expired. Please request a new one.',
    },
  },
};
