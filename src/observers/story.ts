import { explain } from '../checks/explain_evidence.ts';
import { checks } from '../checks/index.ts';
import type {
  CheckEvidence,
  CheckName,
  Listener,
  MailWithheld,
  Observer,
  StreetEvent,
  VisitorMailKey,
} from '../event.ts';
import { fileInWords } from '../files.ts';
import { type Form, isKnownTo } from '../form.ts';
import type { Payload } from '../job.ts';
import { say } from '../messages/message.ts';
import type { FieldError, Outcome } from '../outcome.ts';
import { whyNot } from '../outputs/when.ts';
import type { Message } from '../transports/index.ts';
import type { Mask, Shown } from '../transports/transport.ts';
import type { Values } from '../values.ts';
import { carrierOf } from '../visitor_mails/visitor_mail.ts';
import { failureWords, noOutputWords, warningWords } from './submission_log.ts';

/** All that happened to one submission, for its form's owner. Secrets are masked; what was submitted is not. */
export interface Story {
  /** The request id, as in the log and in the `X-Request-Id` header. */
  readonly id: string;
  readonly form: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly outcome: Outcome['kind'];
  /** The words after the outcome's name. */
  readonly says: string;
  /** What its sender was answered. */
  readonly answer: { readonly status: number; readonly contentType: string; readonly body: string };
  /** Whether it was held back, and is what the link in its mail held. */
  readonly isConfirmed?: true;
  /** As sent, in the order sent; of files, names and sizes. */
  readonly values: Payload;
  /** Where it was filled in, of forms that ask for it: empty when unknown. */
  readonly page?: { readonly url: string; readonly title: string };
  /** Names that were sent and that the config does not know: their values reach no output (D4). */
  readonly ignored: readonly string[];
  /** In the order of the street. Empty where they passed long ago, before its address was confirmed. */
  readonly checks: readonly CheckStory[];
  /** Empty when a check ended it. */
  readonly outputs: readonly OutputStory[];
  /** Mails to whoever sent it; mostly none. */
  readonly mails: readonly MailStory[];
  /** What is different here from a relay in use: variables that are not set, captchas that were not asked. */
  readonly notes: readonly string[];
}

export interface CheckStory {
  readonly check: CheckName;
  readonly verdict: 'off' | 'passed' | 'ended' | 'not_reached';
  readonly says: string;
}

/** What an output got, and what it sent. */
export interface OutputStory {
  /** Its place in the form's `outputs`, from 0. */
  readonly index: number;
  readonly type: string;
  readonly target: string;
  readonly onError: 'fail' | 'continue';
  readonly payload: Payload;
  readonly warnings: readonly string[];
  /** What went over the wire or would have gone, in order. */
  readonly sent: readonly Sent[];
  readonly result: 'delivered' | 'failed' | 'skipped';
  /** Why it failed, or what keeps its `when` from holding. */
  readonly reason?: string;
}

/** A mail to whoever filled in the form. */
export interface MailStory {
  /** The key of the form that asks for it. */
  readonly key: VisitorMailKey;
  /** Whose server carries it. */
  readonly target: string;
  /** What went over the wire or would have gone, in order. */
  readonly sent: readonly Sent[];
  readonly result: 'sent' | 'failed' | 'withheld';
  /** Why it was not sent. */
  readonly reason?: string;
}

export type Sent = Shown & { readonly answer: string };

export interface StoryOptions {
  readonly formOf: (id: string) => Form | undefined;
  readonly notesOf: (form: Form) => readonly string[];
  readonly mask: Mask;
  readonly show: (message: Message) => Promise<Shown>;
  /** What the other side answered, in words. */
  readonly answerInWords: (message: Message, answer: unknown) => string;
  /** Learns of each submission that was answered, in that order. */
  readonly onStory: (story: Story) => void;
}

/** Writes down what happens to each submission, and tells it when the submission is answered. */
export function storyteller(options: StoryOptions): Observer & { told(): Promise<void> } {
  /** Showing a message takes a moment; stories wait for those before them. */
  let telling = Promise.resolve();
  const observe: Observer = (submission) => {
    const events: StreetEvent[] = [];
    const listener: Listener = (event) => {
      events.push(event);
      if (event.kind !== 'answered') return;
      const story = tell(submission, event, events, options);
      telling = telling.then(async () => options.onStory(await story));
    };
    return listener;
  };
  return Object.assign(observe, { told: () => telling });
}

type OfKind<K extends StreetEvent['kind']> = Extract<StreetEvent, { kind: K }>;

const ofKind = <K extends StreetEvent['kind']>(events: readonly StreetEvent[], kind: K) =>
  events.filter((event): event is OfKind<K> => event.kind === kind);

async function tell(
  { requestId, formId, asked, receivedAt }: Parameters<Observer>[0],
  { outcome, answer }: OfKind<'answered'>,
  events: readonly StreetEvent[],
  options: StoryOptions,
): Promise<Story> {
  const form = formId === undefined ? undefined : options.formOf(formId);
  const received = ofKind(events, 'received')[0];
  const sent: Values = received ? withFilesInWords(received) : new Map();
  const values = [...sent];
  const checked = ofKind(events, 'checked');
  const isConfirmed = ofKind(events, 'confirmed').length > 0;
  const outputs = form ? await outputsOf(form, sent, events, options) : [];
  return {
    id: requestId,
    form: formId ?? asked,
    receivedAt,
    outcome: outcome.kind,
    says:
      (isConfirmed ? 'its address is confirmed; ' : '') +
      sentence(outcome, checked.at(-1)?.evidence, outputs),
    answer: {
      status: answer.status,
      contentType: answer.headers['content-type'] ?? '',
      body: answer.body,
    },
    ...(isConfirmed && { isConfirmed }),
    values,
    ...(form?.page && { page: { url: received?.page?.url ?? '', title: received?.page?.title ?? '' } }),
    ignored: form ? values.map(([name]) => name).filter((name) => !isKnownTo(form, name)) : [],
    checks:
      form && !isConfirmed && outcome.kind !== 'bad_request'
        ? checksOf(form, checked, outcome.kind === 'dropped')
        : [],
    outputs,
    mails: form ? await mailsOf(form, events, options) : [],
    notes: form ? options.notesOf(form) : [],
  };
}

function withFilesInWords({ values, files }: OfKind<'received'>): Values {
  const all = new Map(values);
  for (const [name, sent] of files) all.set(name, [...(all.get(name) ?? []), ...sent.map(fileInWords)]);
  return all;
}

function checksOf(
  form: Form,
  checked: readonly OfKind<'checked'>[],
  isDropped: boolean,
): readonly CheckStory[] {
  // Of files, those alone are told who have some.
  const told = checks.filter(({ name, isOn }) => name !== 'scan' || isOn(form));
  return told.map(({ name: check, key, isOn }): CheckStory => {
    if (!isOn(form)) return { check, verdict: 'off', says: `the form has no ${key}` };
    const found = checked.find(({ evidence }) => evidence.check === check);
    if (!found) return { check, verdict: 'not_reached', says: '' };
    const says = inFull(found.evidence);
    if (found.passed) return { check, verdict: 'passed', says };
    return {
      check,
      verdict: 'ended',
      says: isDropped ? `${says}. The sender is told that all is well` : says,
    };
  });
}

const inWords = (error: FieldError) => `${error.field}: ${say(error)}`;

/** Like `explain`, with what a story may say and a log may not: the visitor's messages. */
function inFull(evidence: CheckEvidence): string {
  if (evidence.check === 'validation' && evidence.code === 'invalid') {
    return evidence.errors.map(inWords).join(' ');
  }
  return evidence.code === 'decoy_filled'
    ? `the decoy field "${evidence.field}" is filled: only bots see it`
    : explain(evidence);
}

async function outputsOf(
  form: Form,
  values: Values,
  events: readonly StreetEvent[],
  { mask, show, answerInWords }: StoryOptions,
): Promise<readonly OutputStory[]> {
  const endings = [...ofKind(events, 'delivered'), ...ofKind(events, 'delivery_failed')];
  const told = form.outputs.map(async ({ type, target, on_error }, index): Promise<OutputStory[]> => {
    const isOurs = (event: { readonly output: number }) => event.output === index;
    const about = { index, type, target: target?.name ?? '' };
    const skipped = ofKind(events, 'delivery_skipped').find(isOurs);
    if (skipped) {
      const reason = whyNot(skipped.when, values);
      return [
        { ...about, onError: on_error, payload: [], warnings: [], sent: [], result: 'skipped', reason },
      ];
    }
    const ending = endings.find(isOurs);
    if (!ending) return [];
    const answers = [
      ...ofKind(events, 'delivery_retried')
        .filter(isOurs)
        .map(({ error }) => error.message),
      ending.kind === 'delivered' ? ending.answer : failureWords(ending.error),
    ];
    const tries = ofKind(events, 'delivery_tried').filter(isOurs);
    const sent = tries.map(async ({ message, attempt }): Promise<Sent> => {
      const answer = answerInWords(message as Message, answers[attempt - 1]);
      return { ...(await show(message as Message)), answer };
    });
    const hidden = ending.payload.map(
      ([key, values]) => [key, values.map((value) => mask.value(key, value))] as const,
    );
    return [
      {
        ...about,
        onError: ending.kind === 'delivery_failed' ? ending.onError : on_error,
        payload: hidden,
        warnings: ofKind(events, 'delivery_warned')
          .filter(isOurs)
          .map(({ warning }) => warningWords[warning]),
        sent: await Promise.all(sent),
        ...(ending.kind === 'delivered'
          ? { result: 'delivered' }
          : { result: 'failed', reason: failureWords(ending.error) }),
      },
    ];
  });
  return (await Promise.all(told)).flat();
}

async function mailsOf(
  form: Form,
  events: readonly StreetEvent[],
  { show, answerInWords }: StoryOptions,
): Promise<readonly MailStory[]> {
  const endings = [
    ...ofKind(events, 'mail_sent'),
    ...ofKind(events, 'mail_failed'),
    ...ofKind(events, 'mail_withheld'),
  ];
  const told = endings.map(async (ending): Promise<MailStory> => {
    const { mail: key, kind } = ending;
    const isOurs = (event: { readonly mail: VisitorMailKey }) => event.mail === key;
    const mail = mailOf(form, key);
    const carrier = mail && carrierOf(mail, form.outputs);
    const about = { key, target: carrier?.target?.name ?? '' };
    if (kind === 'mail_withheld') {
      return { ...about, sent: [], result: 'withheld', reason: withheldWords[ending.reason] };
    }
    const answers = [
      ...ofKind(events, 'mail_retried')
        .filter(isOurs)
        .map(({ error }) => error.message),
      kind === 'mail_sent' ? ending.answer : failureWords(ending.error),
    ];
    const sent = ofKind(events, 'mail_tried')
      .filter(isOurs)
      .map(async ({ message, attempt }): Promise<Sent> => {
        const answer = answerInWords(message as Message, answers[attempt - 1]);
        return { ...(await show(message as Message)), answer };
      });
    const shown = await Promise.all(sent);
    return kind === 'mail_sent'
      ? { ...about, sent: shown, result: 'sent' }
      : { ...about, sent: shown, result: 'failed', reason: failureWords(ending.error) };
  });
  return Promise.all(told);
}

const mailOf = ({ confirmationMail, doubleOptIn }: Form, key: VisitorMailKey) =>
  ({ confirmation_mail: confirmationMail, double_opt_in: doubleOptIn })[key];

const withheldWords: Readonly<Record<MailWithheld, string>> = {
  taken_by_nobody: 'no output has the submission, so that there is nothing to confirm',
  no_address: 'the field holds no address, or more than one',
  own_address: 'the address is one that the form itself sends to or from',
  automatic_address: 'a program, a list or nobody reads what is sent to such an address',
  address_had_one: 'the address had one within the hour',
  per_hour_reached: 'the form has sent `per_hour` of them within the hour',
  no_room: 'the relay sent so many within the hour that it remembers no more of them',
};

function sentence(
  outcome: Outcome,
  last: CheckEvidence | undefined,
  outputs: readonly OutputStory[],
): string {
  switch (outcome.kind) {
    case 'delivered': {
      const count = (wanted: OutputStory['result']) =>
        outputs.filter(({ result }) => result === wanted).length;
      const [failed, skipped] = [count('failed'), count('skipped')];
      const noun = outputs.length === 1 ? 'output' : 'outputs';
      const taken = `to ${outputs.length - failed - skipped} of ${outputs.length} ${noun}`;
      const left = skipped === 0 ? taken : `${taken}, ${skipped} skipped`;
      return failed === 0 ? left : `${left}; the others say on_error: continue`;
    }
    case 'undelivered': {
      if (last?.check === 'scan') return explain(last);
      if (outputs.length === 0) return 'the mail with its link was not sent';
      const failed = outputs.filter(({ result, onError }) => result === 'failed' && onError === 'fail');
      return failed.length === 0
        ? noOutputWords
        : `${failed.map(({ index, type }) => `outputs[${index}] (${type})`).join(', ')} did not take it`;
    }
    case 'held':
      return 'until the link in the mail is clicked';
    case 'limited':
      return outcome.by === 'address'
        ? 'enough mails with a link went to this address within the last hour'
        : 'the form sent as many mails with a link within the last hour as it may';
    case 'no_public_url':
      return 'PUBLIC_URL is not set, so that nobody knows where its link should lead';
    case 'dropped':
      return `by ${outcome.by}: ${last ? explain(last) : ''}`;
    case 'bad_request':
      return say(outcome.refusal);
    case 'unknown_form':
      return 'the config has no such form';
    case 'no_config':
      return 'the config has not loaded';
    case 'invalid':
      return last?.code === 'invalid' ? explain(last) : outcome.errors.map(inWords).join(' ');
    case 'expired':
    case 'busy':
    case 'token_missing':
    case 'captcha_failed':
    case 'no_token_secret':
      return last ? explain(last) : '';
  }
}
