/** The state of a submission that waits for approvals, and the links of its approvers. */
import { createHash } from 'node:crypto';
import { seal, unseal } from '@form-relay/base/seal';
import { firstValue } from '@form-relay/base/values';
import type {} from '@form-relay/changes/index';
import type { Form, Submission } from '@form-relay/core/index';
import { changeOf, withdrawalOf } from '@form-relay/more-outputs/archive_layout';
import type { HeldDelivery, StateEntry } from '@form-relay/stores/store';
import type { Approve } from './index.ts';

export const choices = ['approve', 'decline'] as const;
export type Choice = (typeof choices)[number];
type Decision = readonly [approver: string, choice: Choice, at: number];

export interface Approval {
  readonly heldAt: number;
  readonly decisions: readonly Decision[];
  /** How many mails each approver has received. */
  readonly asked: Readonly<Record<string, number>>;
  /** Until this time, one relay is mailing, or a mail server that failed gets no further attempt. */
  readonly pausedUntil: number;
  /** Whether the reserved places were given back, since the submission was declined for its last output. */
  readonly isFreed?: boolean;
}

/** Longer than the longest time for a decision, so that old links still show how it was decided. */
const rememberedMs = 120 * 86_400_000;

export const entryOf = (approval: Approval): StateEntry => ({
  text: JSON.stringify(approval),
  until: approval.heldAt + rememberedMs,
});
export const readApproval = (entry: StateEntry | undefined, now: number): Approval =>
  entry ? JSON.parse(entry.text) : { heldAt: now, decisions: [], asked: {}, pausedUntil: 0 };

/** An id that depends on the submission's values, so that only the values that approvers have read are delivered. */
export function approvalId({
  formId,
  requestId,
  receivedAt,
  values,
}: Pick<Submission, 'formId' | 'requestId' | 'receivedAt' | 'values'>): string {
  const content = JSON.stringify([formId, requestId, receivedAt, [...values]]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

export const stateKey = (id: string): string => `approvals ${id}`;

/** The id of the submission that this one changes or withdraws, or else its own id. */
export const firstOf = ({ requestId, values }: Pick<Submission, 'requestId' | 'values'>): string =>
  firstValue(values, changeOf) || firstValue(values, withdrawalOf) || requestId;

/** The key that records that an output got a submission or a change of it, and so has to get its withdrawal. */
export const givenKey = (of: Pick<Submission, 'requestId' | 'values'>, place: number): string =>
  `approvals given ${firstOf(of)} ${place}`;

export const givenEntry = (changesForMs: number | undefined, now: number): StateEntry => ({
  text: '',
  until: now + Math.max(rememberedMs, changesForMs ?? 0),
});

/** @param place The output’s place when the submission was held. */
export const holdKey = ({ submission, place }: Pick<HeldDelivery, 'submission' | 'place'>): string =>
  `${stateKey(approvalId(submission))} ${place}`;

/** The decisive approvals or refusal for an output, in chronological order. `undefined`: more decisions are needed. */
export function verdictOf({ by, approvals }: Approve, decisions: readonly Decision[]) {
  // Decisions of people whom the config no longer names do not count.
  const counted = decisions.filter(([approver]) => by.includes(approver));
  const last = counted.findIndex(([, choice], index) => choice === 'decline' || index === approvals - 1);
  const [, choice = 'approve', at = 0] = counted[last] ?? [];
  const settling = choice === 'decline' ? counted.slice(last, last + 1) : counted.slice(0, last + 1);
  return last < 0 ? undefined : { choice, at, by: settling.map(([approver]) => approver).join(', ') };
}

export const approveOf = (form: Form, output: number | undefined): Approve | undefined =>
  (form.outputs[output ?? -1] as { readonly approve?: Approve } | undefined)?.approve;

export interface ApproverLink {
  readonly id: string;
  readonly approver: string;
}

export const sealLink = (secret: string, form: string, { id, approver }: ApproverLink): string =>
  seal(secret, 'approval', form, Buffer.from(`${id} ${approver}`), '');

/** `undefined`: the link is truncated, or for another form. */
export function openLink(secret: string, form: string, sealed: string): ApproverLink | undefined {
  const content = unseal(secret, 'approval', form, sealed);
  const [id = '', approver = ''] = content ? Buffer.from(content).toString().split(' ') : [];
  return content && { id, approver };
}
