/** How a change is processed: the form contains the link, and its values go through all checks of values. */

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

/** The field that carries the change to its delivery, even through a mail that confirms an address. No output gets it. */
export const pendingField = '_change';
interface Pending extends Changeable {
  /** The places that the submission originally took. */
  readonly taken: Taken | undefined;
}

/** The limit of changes per submission. Changes skip the bot checks, so one solved captcha must not allow an unlimited number. */
const mostChanges = 20;

/** The change, in the state of a submission. */
const pending = Symbol('change');

export const takenBy = (form: Form, values: Values, settings: Submission['settings']): Taken | undefined =>
  form.provided.get('places')?.takenBy({ form, values, settings });

/** Opens the link in the form. The sender is trusted, so captchas and other bot checks are skipped. */
export const openChange =
  (next: Handler): Handler =>
  async (submission) => {
    const { form, sent, settings, services } = submission;
    const sealed = firstValue(sent, changeField);
    if (sealed === '') return next(submission);
    const opened = await openFor(submission.request, sealed, { form, settings, services });
    if ('kind' in opened) return opened;
    if (opened.isDecoy) return dropped('changes', 'the changed submission was dropped');
    const { id, receivedAt, until, locked, values, taken } = opened;
    submission.setState(pending, { id, receivedAt, until, locked, taken } satisfies Pending);
    submission.setState(earlierValues, values);
    submission.sent = fixedValues(submission, { locked, values });
    submission.setState(lockedValues, new Map(locked.map((name) => [name, values.get(name) ?? []])));
    const wasTrusted = submission.isTrusted;
    submission.isTrusted = true;
    try {
      return await next(submission);
    } finally {
      submission.isTrusted = wasTrusted;
    }
  };

/** The current version of the submission that a request changes. */
async function openFor(
  request: object,
  sealed: string,
  { form, settings, services }: Pick<Submission, 'form' | 'settings' | 'services'>,
) {
  const link = openLink(settings, form, sealed, services.now());
  if ('kind' in link) return link;
  const current = await found(form, link, { services });
  if ('kind' in current) return current;
  if (current.isPart) return partial;
  const taken = current.status.taken ?? takenBy(form, link.values, settings);
  if (taken) takenBefore.set(request, taken);
  return { ...link, ...current, taken };
}

const partial = refuse(
  410,
  'change_partial',
  'the values are too long for the link, and no archive has them',
);

/** After validation, the sender is no longer trusted, so that another address has to be confirmed. */
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

/** A record, such as one of consent, keeps its original time. */
function unlessSame(field: Field, before: Values, after: Values) {
  const [old, now] = [before.get(field.name) ?? [], after.get(field.name) ?? []];
  const isSame =
    field.offered && JSON.stringify(old.map(field.canonical)) === JSON.stringify(now.map(field.canonical));
  return isSame ? [[field.name, old] as const] : [];
}

/** Delivers a change when its turn has come. `delivered`: turns an outcome into one with a link. */
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
    const deliver: Parameters<typeof deliverInTurn>[2] = ({ taken = change.taken, changes = 0 }) => {
      if (changes >= mostChanges)
        return refuse(429, 'change_limit', `this submission was already changed ${changes} times`);
      if (taken) takenBefore.set(submission.request, taken);
      return next(submission);
    };
    const after: Parameters<typeof deliverInTurn>[3] = ({ changes = 0 }) => {
      const taken = takenBy(submission.form, submission.values, submission.settings);
      return { id, at, changes: changes + 1, taken };
    };
    return deliverInTurn(change, submission, deliver, after).then((outcome) =>
      outcome.kind === 'delivered' ? withLink(outcome, submission, change) : outcome,
    );
  };

// Fills in the form with the submitted values.

const sealedIn = ({ sent, request }: FormView): string =>
  firstValue(sent ?? parseQuery(request?.query ?? '') ?? new Map(), changeField);

/** When the submission was received that the form of a request changes. */
const shownNow = new WeakMap<object, number>();

export async function showChange(view: FormView): Promise<FormView | Outcome> {
  const { request, settings, services } = view;
  const sealed = view.isLoaded ? '' : sealedIn(view);
  if (sealed === '' || !request || !settings || !services) return view;
  const opened = await openFor(request, sealed, { form: view.form as Form, settings, services });
  if ('kind' in opened) return view.sent ? view : opened;
  shownNow.set(request, opened.receivedAt);
  const values = new Map(
    view.fields.flatMap((field) => {
      const stored = opened.values.get(field.name);
      return stored ? [[field.name, stored.map((one) => asSent(field, one))] as const] : [];
    }),
  );
  return {
    ...view,
    // The values are the visitor's own, so no link of the owner is needed.
    isLoaded: true,
    ...(!view.sent && { values: new Map([...view.values, ...spread(values, view.fields)]) }),
    locked: new Set([...(view.locked ?? []), ...opened.locked]),
  };
}

/** The submission that the page of a link shows. A decoy shows the values in the link. */
export const found = async (
  form: Form,
  link: Parameters<typeof currentOf>[1],
  by: { readonly services: Services },
): Promise<Current | Outcome> =>
  link.isDecoy
    ? { status: {}, values: link.values, isPart: link.isPart, isStale: false }
    : currentOf(form, link, by);

/** A record, such as one of consent, is sent as the text that it records. */
const asSent = ({ offered, canonical }: Field, stored: string): string =>
  offered && !offered.includes(stored) ? canonical(stored) : stored;

export function changeMarkup(view: FormView): FormMarkup {
  const receivedAt = view.request && shownNow.get(view.request);
  if (receivedAt === undefined) return {};
  const { translate } = view.locale;
  const time = momentWords(receivedAt);
  return {
    before: html`<p class="form-note">${translate({ code: 'change_note', params: { time } })}</p>\n`,
    inputs: html`${hiddenInput(changeField, sealedIn(view))}\n`,
    isUnstored: true,
  };
}
