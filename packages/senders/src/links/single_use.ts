/** Links that work once (`relay link --single-use`), counted where places are (docs/links.md). */
import type { Counters } from '@form-relay/capacity/counters/index';
import {
  busy,
  conclude,
  type Registration,
  register,
  uncounted,
  whyUncounted,
} from '@form-relay/capacity/counters/registration';
import { usedOf } from '@form-relay/capacity/counters/tally';
import { partKey } from '@form-relay/capacity/names';
import type { FormView, Outcome, Submission, Values } from '@form-relay/core/index';
import { feature, firstValue, refused } from '@form-relay/core/kit';
import { linkField, linkUseName, openedIn } from './opened.ts';
import type { Link } from './sealed_link.ts';

/** How long a link can work at most: ten years. */
export const longestLinkMs = 3_653 * 86_400_000;

const useOf = (formId: string, id: string): Registration => ({ key: partKey('links', formId, id), hash: id });

const useIn = ({ formId, values }: Submission): Registration | undefined => {
  // Version 0.1.0 added the link's end to submissions that wait for a click.
  const [id = ''] = firstValue(values, linkUseName).split('.');
  return id === '' ? undefined : useOf(formId, id);
};

declare module '@form-relay/core/rendering' {
  interface FormView {
    /** Its link works once, and was used. */
    readonly isLinkUsed?: true;
  }
}

export const singleUse = feature({
  name: 'single_use',
  after: ['links', 'counters', 'double_opt_in', 'confirmation_mail', 'receipt'],
  before: ['places'],
  configure: ({ provided }) => {
    const links = provided.get('links');
    if (links === undefined) return undefined;
    const counters = provided.get('counters');
    const isRequired = links === 'required';
    const used: Outcome = {
      ...refused(403, isRequired ? 'link_used' : 'fill_used'),
      kind: 'link_needed',
      ...(!isRequired && { showsForm: true }),
      by: 'links',
      why: 'its link works once, and was used before',
    };
    const look = async (use: Registration, submission: Submission): Promise<Outcome | undefined> => {
      if (!counters) return nowhere;
      try {
        const tally = await (await counters.counter(submission.services)).read(use.key);
        return usedOf(tally, use.hash) > 0 ? used : undefined;
      } catch (error) {
        return unknown(error, submission);
      }
    };
    return {
      reservedFields: [{ name: linkUseName, key: [], what: 'the mark of a link that works once' }],
      provides: {
        precheck: (submission: Submission) => {
          const use = useIn(submission);
          return use && look(use, submission);
        },
      },
      afterValidation: (next) => (submission) => {
        const use = useIn(submission);
        if (!use) return next(submission);
        return counters ? deliverOnce(use, counters, used, submission, next) : nowhere;
      },
      prepareView: (view) => {
        const opened = openedIn(view);
        if (opened.kind !== 'open' || !counters || !view.services) return view;
        const { link } = opened;
        const { singleUse: id } = link;
        if (id === undefined) return view;
        const { key, hash } = useOf(view.form.id, id);
        return counters
          .counter(view.services)
          .then((counter) => counter.read(key, true))
          .then(
            (tally) => {
              if (usedOf(tally, hash) === 0) return view;
              return isRequired ? { ...used, isClosed: true as const } : withoutLink(view, link);
            },
            // Visitors who send the form read that nothing can be counted now.
            () => view,
          );
      },
    };
  },
});

/** The form as if nobody had opened the link. Visitors keep what they typed. */
function withoutLink(view: FormView, { values, locked: lockedByLink }: Link): FormView {
  const isOfLink = (name: string) =>
    [...values.keys()].some((one) => name === one || name.startsWith(`${one}.`));
  const without = (all: Values, isLeftOut: (name: string) => boolean) =>
    new Map([...all].filter(([name]) => !isLeftOut(name)));
  const { sent, request, locked } = view;
  const query = new URLSearchParams(request?.query);
  query.delete(linkField);
  return {
    ...view,
    isLinkUsed: true,
    sent: sent && without(sent, (name) => name === linkField),
    request: request && { ...request, query: query.toString() },
    locked: locked && new Set([...locked].filter((name) => !lockedByLink.includes(name))),
    values: sent ? view.values : without(view.values, isOfLink),
  };
}

const nowhere: Outcome = {
  ...uncounted,
  message: { code: 'link_uncounted' },
  by: 'links',
  why: 'its link works once, and the config names no place to count that',
};

const unknown = (error: unknown, submission: Submission): Outcome => ({
  ...nowhere,
  why: `whether its link was used could not be told: ${whyUncounted(error, submission)}`,
});

async function deliverOnce(
  use: Registration,
  counters: Counters,
  used: Outcome,
  submission: Submission,
  next: (submission: Submission) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  try {
    const counter = await counters.counter(submission.services);
    const other = await register(counter, use, { forMs: longestLinkMs }, submission);
    if (other) return other === 'settled' ? used : using;
    const outcome = await next(submission);
    // Whoever is thanked has used it, even if nothing was delivered: a link that still works would tell.
    const concluding = conclude(counters, [use.key], outcome.message === undefined, submission);
    await submission.defer(() => concluding);
    return outcome;
  } catch (error) {
    // The store may have noted it, and answers again later.
    await submission.defer(() => conclude(counters, [use.key], false, submission));
    return unknown(error, submission);
  }
}

const using: Outcome = {
  ...busy,
  by: 'links',
  why: 'another submission with this link is still being delivered',
};
