/** A change on its way: the form comes with the link, and goes through all checks that are about its values. */

import { html } from '@form-relay/base/html';
import { parseJson } from '@form-relay/base/json';
import { momentWords } from '@form-relay/base/time_zone';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue } from '@form-relay/base/values';
import { earlierValues, lockedValues, type Taken, takenBefore } from '@form-relay/capacity/places/claims';
import { hiddenInput } from '@form-relay/core/html/fragments';
import type {
  Field,
  Form,
  FormMarkup,
  FormView,
  Handler,
  Outcome,
  Services,
  Submission,
  Values,
} from '@form-relay/core/index';
import { dropped } from '@form-relay/core/submission';
import { changeOf } from '@form-relay/more-outputs/archive_layout';
import { fixedValues, spread } from '@form-relay/senders/links/sealed_link';
import { type Changeable, changeField, openLink, refuse } from './link.ts';
import { type Current, currentOf, deliverInTurn } from './status.ts';

/** The value under which a change travels to its delivery, also through a mail that confirms an address. No output gets it. */
export const pendingField = '_change';
interface Pending extends Changeable {
  /** The places that the submission had at first. */
  readonly taken: Taken | undefined;
}

/** State of a submission. */
const pending = Symbol('change');

export const takenBy = (form: Form, values: Values, settings: Submission['settings']): Taken | undefined =>
  form.provided.get('places')?.takenBy({ form, values, settings });

/** Opens what the form brings. Its sender is no bot, whatever captchas would say. */
export const openChange =
  (next: Handler): Handler =>
  async (submission) => {
    const { form, sent, settings, services } = submission;
    const sealed = firstValue(sent, changeField);
    if (sealed === '') return next(submission);
    const link = openLink(settings, form, sealed, services.now());
    if ('kind' in link) return link;
    if (link.isDecoy) return dropped('changes', 'it changes a submission that was dropped');
    const current = await currentOf(form, link, submission);
    if ('kind' in current) return current;
    if (current.isPart) return partial;
    const { id, receivedAt, until, locked } = link;
    const taken = current.status.taken ?? takenBy(form, link.values, settings);
    if (taken) takenBefore.set(submission.request, taken);
    submission.setState(pending, { id, receivedAt, until, locked, taken } satisfies Pending);
    submission.setState(earlierValues, current.values);
    submission.sent = fixedValues(submission, { locked, values: current.values });
    submission.setState(lockedValues, new Map(locked.map((name) => [name, current.values.get(name) ?? []])));
    const wasTrusted = submission.isTrusted;
    submission.isTrusted = true;
    try {
      return await next(submission);
    } finally {
      submission.isTrusted = wasTrusted;
    }
  };

const partial = refuse(410, 'change_partial', 'its link has no room for all values, and no archive has them');

/** After validation, its sender is a stranger again: another address has to be confirmed. */
export const carryChange =
  (next: Handler): Handler =>
  (submission) => {
    const change = submission.getState(pending);
    const before = submission.getState(earlierValues);
    if (!change || !(before instanceof Map)) return next(submission);
    submission.isTrusted = false;
    const values = submission.form.fields.flatMap((field) => unlessSame(field, before, submission.values));
    submission.values = new Map([...submission.values, ...values, [pendingField, [JSON.stringify(change)]]]);
    return next(submission);
  };

/** A record, such as of consent, stays that of when it was made. */
function unlessSame(field: Field, before: Values, after: Values) {
  const [old, now] = [before.get(field.name) ?? [], after.get(field.name) ?? []];
  const isSame =
    field.offered && JSON.stringify(old.map(field.canonical)) === JSON.stringify(now.map(field.canonical));
  return isSame ? [[field.name, old] as const] : [];
}

/** Delivers a change, once it is its turn. `delivered`: what becomes of an outcome that has a link. */
export const deliverChange =
  (
    withLink: (outcome: Outcome, submission: Submission, about: Changeable) => Outcome,
    next: Handler,
  ): Handler =>
  (submission) => {
    const [text] = submission.values.get(pendingField) ?? [];
    if (text === undefined) return next(submission);
    const change = parseJson(text) as Pending;
    const values = new Map(submission.values);
    values.delete(pendingField);
    submission.values = values.set(changeOf, [change.id]);
    submission.addLogFields({ change_of: change.id });
    const { requestId: id, receivedAt: at } = submission;
    const deliver: Parameters<typeof deliverInTurn>[2] = ({ taken = change.taken }) => {
      if (taken) takenBefore.set(submission.request, taken);
      return next(submission);
    };
    const after = () => ({ id, at, taken: takenBy(submission.form, submission.values, submission.settings) });
    return deliverInTurn(change, submission, deliver, after).then((outcome) =>
      outcome.kind === 'delivered' ? withLink(outcome, submission, change) : outcome,
    );
  };

// The form, filled in with what was sent.

const sealedIn = ({ sent, request }: FormView): string =>
  firstValue(sent ?? parseQuery(request?.query ?? '') ?? new Map(), changeField);

/** What the form of a request changes. */
const shownNow = new WeakMap<object, Current & Changeable>();

export async function showChange(view: FormView): Promise<FormView | Outcome> {
  const { form, request, settings, services, now = 0 } = view;
  const sealed = view.isLoaded ? '' : sealedIn(view);
  if (sealed === '' || !request || !settings || !services) return view;
  const link = openLink(settings, form, sealed, now);
  if ('kind' in link) return view.sent ? view : link;
  const current = await found(form as Form, link, { services });
  if ('kind' in current) return view.sent ? view : current;
  if (current.isPart) return partial;
  shownNow.set(request, { ...link, ...current });
  const taken = current.status.taken ?? takenBy(form as Form, link.values, settings);
  if (taken) takenBefore.set(request, taken);
  const values = new Map(
    view.fields.flatMap((field) => {
      const stored = current.values.get(field.name);
      return stored ? [[field.name, stored.map((one) => asSent(field, one))] as const] : [];
    }),
  );
  return {
    ...view,
    // The values are the visitor's own, and no link of an owner is needed.
    isLoaded: true,
    ...(!view.sent && { values: new Map([...view.values, ...spread(values, view.fields)]) }),
    locked: new Set([...(view.locked ?? []), ...link.locked]),
  };
}

/** What a page of a link shows: for a decoy, what the link holds. */
export const found = async (
  form: Form,
  link: Parameters<typeof currentOf>[1],
  by: { readonly services: Services },
): Promise<Current | Outcome> =>
  link.isDecoy
    ? { status: {}, values: link.values, isPart: link.isPart, isStale: false }
    : currentOf(form, link, by);

/** A record, such as of consent, is sent as what it records. */
const asSent = ({ offered, canonical }: Field, stored: string): string =>
  offered && !offered.includes(stored) ? canonical(stored) : stored;

export function changeMarkup(view: FormView): FormMarkup {
  const shown = view.request && shownNow.get(view.request);
  if (!shown) return {};
  const { translate } = view.locale;
  const time = momentWords(shown.receivedAt);
  return {
    before: html`<p class="form-note">${translate({ code: 'change_note', params: { time } })}</p>\n`,
    inputs: html`${hiddenInput(changeField, sealedIn(view))}\n`,
    isUnstored: true,
  };
}
