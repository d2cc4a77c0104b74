/** The state of a submission that all relays share: whether it was changed or withdrawn, and by which change. */

import { parseJson } from '@form-relay/base/json';
import { sign } from '@form-relay/base/seal';
import { firstValue } from '@form-relay/base/values';
import { persist, uncounted, whyUncounted } from '@form-relay/capacity/counters/registration';
import type { Taken } from '@form-relay/capacity/places/claims';
import type { Form, Handler, Outcome, Services, Submission, Values } from '@form-relay/core/index';
import { changeOf } from '@form-relay/more-outputs/archive_layout';
import type {} from '@form-relay/stored/archive/retention';
import type { StateEntry } from '@form-relay/stores/store';
import { type Changeable, type ChangeLink, refuse } from './link.ts';

export interface Status {
  /** The latest change. */
  readonly id?: string;
  readonly at?: number;
  readonly changes?: number;
  /** A keyed hash of the values, which detects a second click. */
  readonly hash?: string;
  /** The places that the submission takes. */
  readonly taken?: Taken | undefined;
  readonly isWithdrawn?: boolean;
  /** Until when another change is being delivered, in milliseconds since the epoch. */
  readonly busyUntil?: number | undefined;
}

/** A delivery takes less than this, unless its process has died. */
const staleMs = 60_000;
const pauseMs = 200;
/** An archive whose delivery failed may get it this much later. */
const arrivesMs = 600_000;
/** Clocks differ by less than this. */
const hourMs = 3_600_000;

const keyOf = ({ id }: Pick<Changeable, 'id'>) => `changes ${id}`;
const read = (entry: StateEntry | undefined) => (parseJson(entry?.text ?? '') ?? {}) as Status;

type By = { readonly services: Services };

export const withdrawn = refuse(410, 'change_withdrawn', 'the submission was already withdrawn');

export interface Current {
  readonly status: Status;
  readonly values: Values;
  readonly isPart: boolean;
  /** Whether the values are older than the latest change, which no archive has. */
  readonly isStale: boolean;
}

/** The current version of the submission, from an archive if possible, or else from the link. */
export async function currentOf(form: Form, link: ChangeLink, by: By): Promise<Current | Outcome> {
  const status = await statusOf(form, link, by).catch((error) => failed(whyUncounted(error, by.services)));
  if ('kind' in status) return status;
  if (status.isWithdrawn) return withdrawn;
  const { id = link.id, at = link.receivedAt } = status;
  const found = await form.provided.get('archived')?.read(form, id, at);
  if (found === 'gone' && by.services.now() > at + arrivesMs)
    return refuse(410, 'change_gone', 'the archive no longer has the submission');
  const stored = found === 'gone' ? undefined : found;
  const isStale = stored === undefined && id !== link.latest;
  return { status, values: stored ?? link.values, isPart: !stored && link.isPart, isStale };
}

/** Records that a submission, such as a declined one, no longer takes places. */
export async function forgetTaken(submission: Submission, forMs: number): Promise<void> {
  const { form, requestId, receivedAt, values } = submission;
  if (!form.provided.get('places')) return;
  const id = firstValue(values, changeOf) || requestId;
  await form.provided.get('shared_state')?.change(submission, keyOf({ id }), (entry) => ({
    text: JSON.stringify({ ...read(entry), taken: { claims: [] } }),
    until: Math.max(entry?.until ?? 0, receivedAt + forMs + hourMs),
  }));
}

const statusOf = async (form: Form, link: Changeable, by: By): Promise<Status> =>
  read(await form.provided.get('shared_state')?.read(by, keyOf(link)));

const failed = (why: string): Outcome => ({
  ...uncounted,
  message: { code: 'undelivered' },
  by: 'changes',
  why: `could not check whether it was changed or withdrawn: ${why}`,
});

/** Delivers the changes and withdrawals of a submission one after another. The last one counts. */
export async function deliverInTurn(
  link: Changeable,
  submission: Submission,
  deliver: (before: Status) => ReturnType<Handler>,
  after: (before: Status) => Status,
): Promise<Outcome> {
  const { form, services, deadline, request, settings } = submission;
  const state = form.provided.get('shared_state');
  if (!state) return failed('the config has no store for counts (counted_in)');
  const hash = sign(settings.formTokenSecret, 'change', JSON.stringify([...submission.values]));
  const waitUntil = services.now() + (deadline - services.now()) / 2;
  const put = (make: (before: Status) => Status | undefined) =>
    state.change(submission, keyOf(link), (entry) => {
      const next = make(read(entry));
      return next && { text: JSON.stringify(next), until: link.until + hourMs };
    });
  let before: Status = {};
  try {
    for (let isMine = false; !isMine; ) {
      await put((found) => {
        before = found;
        isMine = !found.isWithdrawn && found.hash !== hash && !((found.busyUntil ?? 0) > services.now());
        return isMine ? { ...found, busyUntil: deadline + staleMs } : found;
      });
      if (before.isWithdrawn) return withdrawn;
      if (before.hash === hash) return { kind: 'delivered', status: 200 };
      if (isMine) break;
      if (services.now() + pauseMs > waitUntil)
        return failed('another change to this submission is still being delivered');
      await services.sleep(pauseMs);
    }
  } catch (error) {
    return failed(whyUncounted(error, submission));
  }
  const outcome = await deliver(before);
  const ended: Status = { ...(outcome.message ? before : { ...after(before), hash }), busyUntil: undefined };
  const end = () => put(() => ended);
  const ending = persist(end, request.livesOn ? [200, 1_000, 4_000] : [200], services).then((reason) => {
    if (reason !== undefined) submission.log('warn', 'places_unsettled', { reason });
  });
  await submission.defer(() => ending);
  return outcome;
}
