/** Mails approvers, and delivers or drops submissions as they decide. */
import { ClientError } from '@form-relay/base/client_error';
import { momentWords } from '@form-relay/base/time_zone';
import { apiPath } from '@form-relay/core/html/element_ids';
import type { Form, Life, Locale, Submission } from '@form-relay/core/index';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { changeOf } from '@form-relay/more-outputs/archive_layout';
import { filledIn } from '@form-relay/more-outputs/filled_in';
import { renderMail } from '@form-relay/more-outputs/html_mail';
import type { HeldDelivery } from '@form-relay/stores/store';
import { ownMailCarrier } from '@form-relay/visitor-mails/own_mail';
import {
  type Approval,
  approvalId,
  approveOf,
  entryOf,
  firstOf,
  givenEntry,
  givenKey,
  holdKey,
  readApproval,
  sealLink,
  stateKey,
  verdictOf,
} from './approval.ts';
import type { Approve } from './index.ts';

type By = Pick<Life, 'services' | 'settings'>;

/** The interval for sending mails that failed, for reminders, and for completing the work of a relay that died. */
export const pauseMs = 600_000;

/** Held submissions of a form, by `approvalId`. */
export async function heldIn(form: Form): Promise<ReadonlyMap<string, readonly HeldDelivery[]>> {
  const all = new Map<string, HeldDelivery[]>();
  for await (const one of form.provided.get('approvals')?.held.list(form, holdKey) ?? []) {
    const id = approvalId(one.submission);
    all.set(id, [...(all.get(id) ?? []), one]);
  }
  return all;
}

/** Delivers or drops the submissions that are decided, and tells their visitors. Resolves with those that still wait. */
export async function settle(
  form: Form,
  waiting: readonly HeldDelivery[],
  { decisions }: Approval,
  by: Pick<By, 'services'>,
) {
  const { held, state, mails } = form.provided.get('approvals') ?? {};
  const left: HeldDelivery[] = [];
  for (const one of waiting) {
    const { submission, output = -1 } = one;
    const approve = approveOf(form, output);
    const verdict = approve && verdictOf(approve, decisions);
    if (!verdict) left.push(one);
    else {
      const { choice } = verdict;
      if (choice === 'approve')
        await state?.change(by, givenKey(submission, output), () =>
          givenEntry(form.provided.get('changes')?.forMs, by.services.now()),
        );
      const settled = await (choice === 'approve'
        ? held?.release(holdKey(one))
        : held?.drop(holdKey(one), () => isOver(form, one, by)));
      // Another relay has already settled it.
      if (!settled) continue;
      submission.log('info', choice === 'approve' ? 'approval_approved' : 'approval_declined', {
        output,
        by: verdict.by,
      });
      await mails?.[output]?.[choice]?.(submission, {});
    }
  }
  return left;
}

/**
 * Whether the submission no longer waits for any output, and no output with `approve` got it, so that its place
 * is free. Returns true only once.
 */
async function isOver(form: Form, { submission }: HeldDelivery, by: Pick<By, 'services'>): Promise<boolean> {
  const { state } = form.provided.get('approvals') ?? {};
  const id = approvalId(submission);
  if (!state || (await heldIn(form)).has(id) || (await givenTo(submission)).length > 0) return false;
  let isFirst = false;
  await state.change(by, stateKey(id), (entry) => {
    const approval = readApproval(entry, by.services.now());
    isFirst = !approval.isFreed;
    return entryOf({ ...approval, isFreed: true });
  });
  return isFirst;
}

/** The `approve` of outputs that got a submission or a change of it. */
async function givenTo(submission: Submission): Promise<readonly Approve[]> {
  const { form } = submission;
  const { state } = form.provided.get('approvals') ?? {};
  const given: Approve[] = [];
  for (const output of form.outputs.keys()) {
    const approve = approveOf(form, output);
    if (approve && (await state?.read(submission, givenKey(submission, output)))) given.push(approve);
  }
  return given;
}

/**
 * Drops the waiting deliveries of the submission that this one changes or withdraws: approvers decide only
 * about its latest values.
 */
export async function supersede(submission: Submission): Promise<void> {
  const { form } = submission;
  for (const [id, waiting] of await heldIn(form))
    for (const one of waiting)
      if (id !== approvalId(submission) && firstOf(one.submission) === firstOf(submission))
        await form.provided.get('approvals')?.held.drop(holdKey(one), () => false);
}

/** Keeps a withdrawal from outputs that never got the submission. Resolves with the `approve` of these outputs. */
export async function withdrawWaiting(submission: Submission): Promise<ReadonlySet<Approve>> {
  await supersede(submission);
  const { form } = submission;
  const given = await givenTo(submission);
  const all = [...form.outputs.keys()].flatMap((output) => approveOf(form, output) ?? []);
  return new Set(all.filter((one) => !given.includes(one)));
}

/** Settles the submissions that are decided, and mails approvers who have not been asked yet or are due for a reminder. */
export async function tend(form: Form, waiting: readonly HeldDelivery[], by: By): Promise<void> {
  const { state } = form.provided.get('approvals') ?? {};
  const submission = waiting[0]?.submission;
  if (!state || !submission) return;
  const key = stateKey(approvalId(submission));
  const now = by.services.now();
  const left = await settle(form, waiting, readApproval(await state.read(by, key), now), by);
  let due: ReturnType<typeof dueIn> = [];
  await state.change(by, key, (entry) => {
    const approval = readApproval(entry, now);
    due = approval.pausedUntil > now ? [] : dueIn(form, left, approval, now);
    return due.length > 0 ? entryOf({ ...approval, pausedUntil: now + pauseMs }) : entry;
  });
  for (const { approver, until, mails } of due) {
    const result = await mail(form, submission, { approver, until, mails }, by);
    const isSent = result.state === 'sent';
    if (isSent) submission.log('info', 'approval_mail_sent', { to: approver, reason: result.warning });
    else submission.log('error', 'approval_mail_failed', { to: approver, reason: result.why });
    if (isSent)
      await state.change(by, key, (entry) => {
        const approval = readApproval(entry, now);
        return entryOf({ ...approval, asked: { ...approval.asked, [approver]: mails + 1 } });
      });
  }
}

/** The approvers to mail now, the time limit for their decision, and the number of mails that each has received. */
function dueIn(
  form: Form,
  waiting: readonly HeldDelivery[],
  { heldAt, decisions, asked }: Approval,
  now: number,
) {
  const approves = waiting.flatMap(({ output }) => approveOf(form, output) ?? []);
  const approvers = [...new Set(approves.flatMap(({ by }) => by))];
  return approvers.flatMap((approver) => {
    const own = approves.filter(({ by }) => by.includes(approver));
    const most = own.some(({ remind = Infinity }) => now >= heldAt + remind) ? 2 : 1;
    const { [approver]: mails = 0 } = asked;
    const isDue = mails < most && !decisions.some(([one]) => one === approver);
    return isDue ? { approver, mails, until: heldAt + Math.max(...own.map(({ expires }) => expires)) } : [];
  });
}

async function mail(
  form: Form,
  submission: Submission,
  { approver, until, mails }: ReturnType<typeof dueIn>[number],
  { services, settings }: By,
) {
  const { mailing } = form.provided.get('approvals') ?? {};
  const [carrier] = [form, mailing].flatMap((one) => (one && ownMailCarrier(one, services, settings)) ?? []);
  if (!carrier) return { state: 'failed', why: 'the mail has no sender' } as const;
  const locale = form.locale(undefined);
  const { translate, language = 'en', direction = 'ltr' } = locale;
  const title = form.title === undefined ? form.id : locale.text(form.title);
  const id = approvalId(submission);
  const path = apiPath(settings.publicUrl ?? '', 'approvals', form.id);
  const href = `${path}?t=${sealLink(settings.formTokenSecret, form.id, { id, approver })}`;
  const time = momentWords(until, form.provided.get('time_zone'));
  const body = renderMail({
    ...{ language, direction, title, footer: [], look: form.provided.get('look') },
    intro: [translate({ code: 'approve_text', params: { time } })],
    entries: entriesOf(form, submission, locale),
    button: { words: translate({ code: 'approve_button' }), href },
  });
  const code = mails === 0 ? 'approve_subject' : 'approve_reminder';
  const isChange = submission.values.has(changeOf);
  const changed = isChange ? `[${translate({ code: 'mail_changed' })}] ` : '';
  const subject = `${changed}${translate({ code, params: { form: title } })}`;
  return carrier.send({ key: `approval ${id} ${approver} ${mails}`, to: approver, subject, ...body });
}

/** All values, as in a mail to the owner. */
export function entriesOf(form: Form, { values, receivedAt, services }: Submission, locale: Locale) {
  const { id, fields, takesUndeclared } = form;
  const context = templateContext(id, values, receivedAt, services, { fields, locale });
  const undeclared = new Map([...values].filter(([name]) => takesUndeclared?.(name)));
  const sent = { values, undeclared, templateContext: context };
  return filledIn({ mapping: undefined, static: undefined }, { fields, locale }, sent);
}

export async function tendAll({ forms, services, settings }: Pick<Life, 'forms' | 'services' | 'settings'>) {
  for (const form of forms.values())
    try {
      for (const waiting of (await heldIn(form)).values()) await tend(form, waiting, { services, settings });
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      services.log('error', 'approvals_unavailable', { form: form.id, reason: error.message });
    }
}
