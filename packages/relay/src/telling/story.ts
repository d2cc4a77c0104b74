import type { CheckEvidence, MailWithheld, Observer, StreetEvent, VisitorMailKey } from '../base/event.ts';
import { fileInWords } from '../base/files.ts';
import type { Payload } from '../base/job.ts';
import type { FormKeep } from '../base/kept.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Values } from '../base/values.ts';
import { explain } from '../features/index.ts';
import { keep } from '../features/keep/keep.ts';
import { page } from '../features/page.ts';
import { visitorMailsOf } from '../features/visitor_mails/form_mails.ts';
import { carrierOf } from '../features/visitor_mails/visitor_mail.ts';
import { type Form, isKnownTo } from '../form.ts';
import { say } from '../messages/message.ts';
import { type CheckStory, checkStories, inWords } from './check_story.ts';
import {
  type OfKind,
  type OutputStory,
  ofKind,
  outputStories,
  type Sent,
  type Showing,
  sentIn,
} from './output_story.ts';
import { failureWords, noOutputWords } from './submission_log.ts';

/** The story of a submission, for its form's owner. Secrets are masked; submitted values are not. */
export interface Story {
  /** The request id, as in the log and in the `X-Request-Id` header. */
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  readonly outcome: Outcome['kind'];
  /** The words after the outcome's name. */
  readonly says: string;
  readonly answer: { readonly status: number; readonly contentType: string; readonly body: string };
  /** Whether it was held back until the link in its mail was clicked. */
  readonly isConfirmed?: true;
  /** The values in the order sent; for files, names and sizes. */
  readonly values: Payload;
  /** The page of the form, if the form asks for it: empty when unknown. */
  readonly page?: { readonly url: string; readonly title: string };
  /** Names that the config does not know: their values reach no output. */
  readonly ignored: readonly string[];
  /** In the order of the street. Empty for a confirmed submission, which passed them earlier. */
  readonly checks: readonly CheckStory[];
  /** Empty when a check ended it. */
  readonly outputs: readonly OutputStory[];
  /** Mails to the visitor; mostly none. */
  readonly mails: readonly MailStory[];
  /** How the form keeps deliveries, if it does. */
  readonly keep?: KeepStory;
  /** Differences from a relay in production: unset variables, captchas that were not verified. */
  readonly notes: readonly string[];
}

export interface KeepStory {
  readonly what: 'failed' | 'always';
  readonly in: string;
  readonly forMs: number;
  readonly then: 'aside' | 'delete';
}

/** A mail to the visitor. */
export interface MailStory {
  readonly key: VisitorMailKey;
  readonly target: string;
  /** The messages in order, sent or pretended. */
  readonly sent: readonly Sent[];
  readonly result: 'sent' | 'failed' | 'withheld';
  readonly reason?: string;
}

export interface StoryOptions extends Showing {
  readonly formOf: (id: string) => Form | undefined;
  readonly notesOf: (form: Form) => readonly string[];
  /** Receives the story of each answered submission, in order. */
  readonly onStory: (story: Story) => void;
}

/** Records the events of each submission, and tells its story when it is answered. */
export function storyteller(options: StoryOptions): Observer & { told(): Promise<void> } {
  /** Showing a message is asynchronous; stories stay in order. */
  let telling = Promise.resolve();
  const observe: Observer = (submission) => {
    const events: StreetEvent[] = [];
    return (event) => {
      events.push(event);
      if (event.kind !== 'answered') return;
      const story = tell(submission, events, event, options);
      telling = telling.then(async () => options.onStory(await story));
    };
  };
  return Object.assign(observe, { told: () => telling });
}

async function tell(
  { formId, asked, requestId, receivedAt }: Parameters<Observer>[0],
  events: readonly StreetEvent[],
  { outcome, answer }: OfKind<'answered'>,
  options: StoryOptions,
): Promise<Story> {
  // At once: the config may change.
  const form = formId === undefined ? undefined : options.formOf(formId);
  const received = ofKind(events, 'received')[0];
  const sent: Values = received ? withFilesInWords(received, form) : new Map();
  const values = [...sent];
  const checked = ofKind(events, 'checked');
  const isConfirmed = ofKind(events, 'confirmed').length > 0;
  const outputs = form ? await outputStories(form, sent, events, options) : [];
  const kept = form && keep.of(form);
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
    ...(form &&
      page.of(form) && { page: { url: received?.page?.url ?? '', title: received?.page?.title ?? '' } }),
    ignored: form ? values.map(([name]) => name).filter((name) => !isKnownTo(form, name)) : [],
    checks:
      form && !isConfirmed && outcome.kind !== 'bad_request'
        ? checkStories(form, checked, outcome.kind === 'dropped')
        : [],
    outputs,
    mails: form ? await mailsOf(form, events, options) : [],
    ...(kept && { keep: keepStory(kept) }),
    notes: form ? options.notesOf(form) : [],
  };
}

export const keepStory = ({ what, where: { in: place, forMs, then } }: FormKeep): KeepStory => ({
  what,
  in: place.name,
  forMs,
  then,
});

/** Sizes are said in the language of the form. */
function withFilesInWords({ values, files }: OfKind<'received'>, form: Form | undefined): Values {
  const all = new Map(values);
  for (const [name, sent] of files) {
    const field = form?.fields.find((one) => one.name === name);
    const words = sent.map((file) => field?.inWords?.(fileInWords(file)) ?? fileInWords(file));
    all.set(name, [...(all.get(name) ?? []), ...words]);
  }
  return all;
}

async function mailsOf(
  form: Form,
  events: readonly StreetEvent[],
  showing: Showing,
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
    const answer = kind === 'mail_sent' ? ending.answer : failureWords(ending.error);
    const retries = ofKind(events, 'mail_retried').filter(isOurs);
    const sent = await sentIn(ofKind(events, 'mail_tried').filter(isOurs), retries, answer, showing);
    return kind === 'mail_sent'
      ? { ...about, sent, result: 'sent' }
      : { ...about, sent, result: 'failed', reason: failureWords(ending.error) };
  });
  return Promise.all(told);
}

const mailOf = (form: Form, key: VisitorMailKey) =>
  visitorMailsOf(form).find(([asked]) => asked === key)?.[1];

const withheldWords: Readonly<Record<MailWithheld, string>> = {
  taken_by_nobody: 'no output has the submission, so that there is nothing to confirm',
  on_waiting_list: 'the submission is on the waiting list, so that it has no place to confirm',
  no_address: 'the field holds no address, or more than one',
  own_address: 'the address is one that the form itself sends to or from',
  blocked_address: 'a mail to the address came back; relay mails unblock lets it get mails again',
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
      const [failed, skipped, kept] = [count('failed'), count('skipped'), count('kept')];
      const noun = outputs.length === 1 ? 'output' : 'outputs';
      const delivered = count('delivered');
      const all = `of ${outputs.length} ${noun}`;
      const taken = delivered === 0 && kept > 0 ? `for ${kept} ${all}` : `to ${delivered} ${all}`;
      const left = [
        taken,
        ...(delivered > 0 && kept > 0 ? [`${kept} kept`] : []),
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
      ].join(', ');
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
    case 'saved':
      return 'nothing was sent: its visitor asked for a link to go on later';
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
    case 'replayed':
      return 'the answer to its Idempotency-Key';
    default:
      return last ? explain(last) : '';
  }
}
