import type {
  CheckEvidence,
  Listener,
  MailWithheld,
  Observer,
  StreetEvent,
  VisitorMailKey,
} from '../base/event.ts';
import { fileInWords } from '../base/files.ts';
import type { Payload } from '../base/job.ts';
import type { FormKeep } from '../base/kept.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Values } from '../base/values.ts';
import { explain } from '../features/explain_evidence.ts';
import { keep } from '../features/keep/keep.ts';
import { page } from '../features/page.ts';
import { visitorMailsOf } from '../features/visitor_mails/form_mails.ts';
import { carrierOf } from '../features/visitor_mails/visitor_mail.ts';
import { type Form, isKnownTo } from '../form.ts';
import { say } from '../messages/message.ts';
import type { Message } from '../transports/index.ts';
import { type CheckStory, checkStories, inWords } from './check_story.ts';
import {
  type Events,
  type OfKind,
  type OutputStory,
  ofKind,
  outputStories,
  type Sent,
  type Showing,
} from './output_story.ts';
import { failureWords, noOutputWords } from './submission_log.ts';

/** All that happened to one submission, for its form's owner. Secrets are masked; what was submitted is not. */
export interface Story {
  /** The request id, as in the log and in the `X-Request-Id` header. */
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  readonly outcome: Outcome['kind'];
  /** The words after the outcome's name. */
  readonly says: string;
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
  /** How the form keeps what outputs owe, where it does. */
  readonly keep?: KeepStory;
  /** What is different here from a relay in use: variables that are not set, captchas that were not asked. */
  readonly notes: readonly string[];
}

export interface KeepStory {
  readonly what: 'failed' | 'always';
  readonly in: string;
  readonly forMs: number;
  readonly then: 'aside' | 'delete';
  /** Whether its owner alone can read it. */
  readonly isSealed: boolean;
}

/** A mail to whoever filled in the form. */
export interface MailStory {
  readonly key: VisitorMailKey;
  readonly target: string;
  /** What went over the wire or would have gone, in order. */
  readonly sent: readonly Sent[];
  readonly result: 'sent' | 'failed' | 'withheld';
  readonly reason?: string;
}

export interface StoryOptions extends Showing {
  readonly formOf: (id: string) => Form | undefined;
  readonly notesOf: (form: Form) => readonly string[];
  /** Learns of each submission that was answered, in that order. */
  readonly onStory: (story: Story) => void;
  /** Learns how one went on of which it was told, and of which something was kept. */
  readonly onSequel?: ((story: Story) => void) | undefined;
}

/** How many submissions it follows of which something is kept. */
const mostFollowed = 100;

/** Writes down what happens to each submission, and tells it when the submission is answered, and when it goes on. */
export function storyteller(options: StoryOptions): Observer & { told(): Promise<void> } {
  /** Showing a message takes a moment; stories wait for those before them. */
  let telling = Promise.resolve();
  /** By request id: those under way, and those of which something is kept. */
  const followed = new Map<string, Followed>();
  const follow = (submission: Followed['submission']): Listener => {
    const { requestId } = submission;
    const happened: Followed = {
      submission,
      requestId,
      receivedAt: submission.receivedAt,
      events: [],
      turns: [],
    };
    followed.set(requestId, happened);
    return (event) => {
      happened.events.push(event);
      if (event.kind !== 'answered') return;
      happened.answered = event;
      if (submission.formId !== undefined) happened.form = options.formOf(submission.formId);
      if (ofKind(happened.events, 'delivery_kept').length === 0) followed.delete(requestId);
      for (const oldest of followed.keys()) {
        if (followed.size <= mostFollowed) break;
        followed.delete(oldest);
      }
      tellIt(happened, event, options.onStory);
    };
  };
  const goOn = (happened: Followed): Listener => {
    const turn: StreetEvent[] = [];
    happened.turns.push(turn);
    return (event) => {
      turn.push(event);
      // Otherwise the story that is told then has it.
      if (event.kind === 'kept_tried' && happened.answered)
        tellIt(happened, happened.answered, options.onSequel);
    };
  };
  const tellIt = (happened: Followed, answered: OfKind<'answered'>, told?: (story: Story) => void) => {
    const story = tell(happened, answered, options);
    telling = telling.then(async () => told?.(await story));
  };
  const observe: Observer = (submission) => {
    if (!submission.isKept) return follow(submission);
    const happened = followed.get(submission.requestId);
    return happened ? goOn(happened) : () => undefined;
  };
  return Object.assign(observe, { told: () => telling });
}

interface Followed extends Events {
  readonly submission: Parameters<Observer>[0];
  readonly events: StreetEvent[];
  readonly turns: StreetEvent[][];
  answered?: OfKind<'answered'>;
  /** As it was when it was answered: another config may come before all is delivered. */
  form?: Form | undefined;
}

async function tell(
  happened: Followed,
  { outcome, answer }: OfKind<'answered'>,
  options: StoryOptions,
): Promise<Story> {
  const { submission, requestId, receivedAt, events, form } = happened;
  const { formId, asked } = submission;
  const received = ofKind(events, 'received')[0];
  const sent: Values = received ? withFilesInWords(received) : new Map();
  const values = [...sent];
  const checked = ofKind(events, 'checked');
  const isConfirmed = ofKind(events, 'confirmed').length > 0;
  const outputs = form ? await outputStories(form, sent, happened, options) : [];
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

export const keepStory = ({ what, where: { in: place, forMs, then, sealTo } }: FormKeep): KeepStory => ({
  what,
  in: place.name,
  forMs,
  then,
  isSealed: sealTo.length > 0,
});

function withFilesInWords({ values, files }: OfKind<'received'>): Values {
  const all = new Map(values);
  for (const [name, sent] of files) all.set(name, [...(all.get(name) ?? []), ...sent.map(fileInWords)]);
  return all;
}

async function mailsOf(
  form: Form,
  events: readonly StreetEvent[],
  { show, answerInWords }: Showing,
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

const mailOf = (form: Form, key: VisitorMailKey) =>
  visitorMailsOf(form).find(([asked]) => asked === key)?.[1];

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
    case 'challenged':
    case 'script_needed':
    case 'origin_refused':
    case 'rate_limited':
    case 'captcha_failed':
    case 'no_token_secret':
      return last ? explain(last) : '';
  }
}
