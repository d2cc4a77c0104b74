/**
 * Links that work once. An entry in the shared state says who uses a link: a submission that is being
 * delivered, one that waits for its confirmation (`held`) or in the store, for example for a payment
 * (`stored`), or one that has used it.
 */
import { persist, uncounted, whyUncounted } from '@form-relay/capacity/counters/registration';
import type { Form, Handler, Outcome, Services, Submission } from '@form-relay/core/index';
import type { StateEntry } from '@form-relay/stores/store';
import type { Link } from './sealed_link.ts';

/** The use of a link by one submission. */
export interface Use {
  readonly link: string;
  /** Identifies the submission. Not its id, which clients may choose. */
  readonly by: string;
  /** When the entry can be deleted, in milliseconds since the epoch. */
  readonly until: number;
  /** Whether the form opens only with the link. Default: if the form requires one. */
  readonly isClosed?: boolean | undefined;
}

export type Status = 'open' | 'held' | 'stored' | 'used' | 'cancelled';

/** A submission takes less than an hour, and clocks differ by less. */
const hourMs = 3_600_000;
const monthMs = 30 * 24 * hourMs;
/** Longer than a delivery takes: after that, its process has died, and the link works again. */
const staleMs = 60_000;
const pauseMs = 200;

const confirmationMs = ({ provided }: Form): number => provided.get('double_opt_in')?.config.expires ?? 0;

export const useOf = (
  { singleUse: link = '', until, purpose }: Link,
  { services, form }: Submission,
): Use => ({
  ...{ link, by: services.uuid(), isClosed: purpose ? true : undefined },
  // A feature that sent a form to one person can look up the result later.
  until: until + confirmationMs(form) + (purpose ? monthMs : hourMs),
});

export const writeUse = ({ link, by, until }: Use): string => [link, by, until.toString(36)].join(' ');

export function readUse(text: string): Use {
  const [link = '', by = '', until = ''] = text.split(' ');
  return { link, by, until: Number.parseInt(until, 36) };
}

const isUsedUp = (status: Status | undefined) => status !== undefined && status !== 'open';

const statusOf = (entry: StateEntry | undefined) => entry?.text.split(' ')[0] as Status | undefined;
const textOf = (status: Status, { by }: Use) => `${status} ${by}`;

/** Whether a link cannot be used now. If the store fails, the visitor is told only when the form is sent. */
export async function spentNow(
  form: Pick<Form, 'id' | 'provided'>,
  link: string,
  services: Services,
): Promise<Status | undefined> {
  try {
    const status = await statusNow(form, link, services);
    return isUsedUp(status) ? status : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with a `ClientError` if the store fails. */
export const statusNow = async (
  { provided }: Pick<Form, 'provided'>,
  link: string,
  services: Services,
): Promise<Status | undefined> =>
  statusOf(await provided.get('shared_state')?.read({ services }, keyOf(link)));

/** Cancels a link until it expires, unless it is in use or was used. Resolves with its status. */
export async function cancelLink(
  { provided }: Pick<Form, 'provided'>,
  link: string,
  until: number,
  services: Services,
): Promise<Status | undefined> {
  const entry = await provided.get('shared_state')?.change({ services }, keyOf(link), (before) => {
    const status = statusOf(before);
    return status === undefined || status === 'held' ? { text: 'cancelled', until } : before;
  });
  return statusOf(entry);
}

/**
 * Delivers the submission if it gets the link, and releases the link if it was not delivered.
 *
 * @param waits The link's status while the submission waits.
 */
export async function deliverWith(
  use: Use,
  submission: Submission,
  next: Handler,
  waits: 'held' | 'stored',
): Promise<Outcome> {
  const { form, services, deadline, request, receivedAt } = submission;
  const state = form.provided.get('shared_state');
  if (!state) return untold('the link works once, and the config has no store for counts (counted_in)');
  const put = (
    status: Status | undefined,
    until: number,
    mayTake: (entry: StateEntry | undefined) => boolean,
  ) =>
    state.change(submission, keyOf(use.link), (entry) =>
      mayTake(entry) ? status && { text: textOf(status, use), until } : entry,
    );
  const isClosed = use.isClosed ?? form.provided.get('links') === 'required';
  const isMine = (status: Status) => (entry: StateEntry | undefined) => entry?.text === textOf(status, use);
  const isFree = (entry: StateEntry | undefined) =>
    entry === undefined || isMine('held')(entry) || isMine('stored')(entry);
  const waitUntil = services.now() + (deadline - services.now()) / 2;
  try {
    for (;;) {
      let isTaken = false;
      const entry = await put('open', deadline + staleMs, (before) => {
        isTaken = isFree(before);
        return isTaken;
      });
      if (isTaken) break;
      // The link in the mail was clicked twice.
      if (isMine('used')(entry)) return { kind: 'delivered', status: 200 };
      const status = statusOf(entry) as Status;
      if (isUsedUp(status)) return spent(status, isClosed);
      if (services.now() + pauseMs > waitUntil)
        return untold('the link works once, and another submission with it is still being delivered');
      await services.sleep(pauseMs);
    }
  } catch (error) {
    return untold(`could not check whether its link was used: ${whyUncounted(error, submission)}`);
  }
  const outcome = await next(submission);
  const end = async () => {
    if (outcome.message) return put(undefined, 0, isMine('open'));
    const status = outcome.kind === 'held' ? waits : 'used';
    if (status === 'stored')
      await state.change(submission, ownerOf(submission), () => ({ text: writeUse(use), until: use.until }));
    return put(status, status === 'held' ? receivedAt + confirmationMs(form) : use.until, isMine('open'));
  };
  const ending = persist(end, request.livesOn ? [200, 1_000, 4_000] : [200], services).then((reason) => {
    if (reason !== undefined) submission.log('warn', 'places_unsettled', { reason });
  });
  await submission.defer(() => ending);
  return outcome;
}

const keyOf = (link: string) => `links ${link}`;
/** Identifies the link use of a submission that waits in the store. */
const ownerOf = ({ requestId }: Submission) => `links of ${requestId}`;

/** Releases the link of a submission that waited in the store and will not be delivered. */
export async function withdrawUse(submission: Submission): Promise<void> {
  const state = submission.form.provided.get('shared_state');
  const owned = await state?.read(submission, ownerOf(submission));
  if (!state || !owned) return;
  const use = readUse(owned.text);
  await state.change(submission, keyOf(use.link), (entry) =>
    entry?.text === textOf('stored', use) ? undefined : entry,
  );
  await state.change(submission, ownerOf(submission), () => undefined);
}

/** The outcome for a submission, or its form, without a usable link. */
export function spent(status: Status, isClosed: boolean): Outcome {
  const known = status === 'held' || status === 'cancelled' ? status : 'used';
  const { code, why } = refusals[known];
  return {
    ...{ kind: 'link_needed', status: 403, by: 'links', code: known, why },
    message: { code: code === 'link_used' && !isClosed ? 'fill_used' : code },
    ...(isClosed && { isClosed: true }),
  };
}

const refusals = {
  held: {
    code: 'link_held',
    why: 'the link works once, and another submission with it is waiting for confirmation',
  },
  used: { code: 'link_used', why: 'the link works once, and was already used' },
  cancelled: { code: 'link_cancelled', why: 'the link was cancelled' },
};

const untold = (why: string): Outcome => ({ ...uncounted, message: { code: 'link_uncounted' }, why });
