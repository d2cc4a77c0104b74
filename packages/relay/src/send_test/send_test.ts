/**
 * A made-up submission that really goes through a form's outputs: templates, mapping, transports and timeouts are those of a
 * visitor's. It passes no spam checks, is marked (marks.ts), and no archive, metric or alert counts it. Nothing is kept.
 */
import { addressOf, mailboxText, parseMailbox } from '../base/address.ts';
import { ClientError } from '../base/client_error.ts';
import type { Effects, HttpAnswer, Mailbox } from '../base/effects.ts';
import type { StreetEvent, VisitorMailKey } from '../base/event.ts';
import type { Job } from '../base/job.ts';
import type { FieldError } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Checked } from '../base/submission.ts';
import { pretendedTransports } from '../dry_run/pretended_transports.ts';
import { validated } from '../features/validation.ts';
import { visitorMailsOf } from '../features/visitor_mails/form_mails.ts';
import { carrierOf, type VisitorMail } from '../features/visitor_mails/visitor_mail.ts';
import { labelOf } from '../fields/field.ts';
import type { FormOutput } from '../form.ts';
import type { Output } from '../outputs/output.ts';
import { applies, notForIt, whyNot } from '../outputs/payload.ts';
import { type Scope, Template } from '../schema/template/render.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { deliverTo, takes } from '../street/deliver.ts';
import { submissionBudgetMs } from '../street/post_submission.ts';
import { failureWords, warningWords } from '../telling/submission_log.ts';
import { createTransports, type Message, type Transports, takesMails } from '../transports/index.ts';
import { answerWords, bodyWords, refusalWords } from './answer_words.ts';
import { KnownSecrets } from './known_secrets.ts';
import { markedHttp, markedOutput } from './marks.ts';
import type { TestedOutput, TestOptions, TestReport } from './report.ts';
import { testRemedy } from './test_remedy.ts';

/** A test whose values the form takes. */
export interface FormTest {
  /** Where each message would go. Asks no server. */
  plan(): Promise<TestReport>;
  /** Sends. Never rejects for what a server does. */
  send(): Promise<TestReport>;
}

/** Makes a test; or tells which of the values the form does not take. */
export async function createTest(options: TestOptions): Promise<Result<FormTest, readonly FieldError[]>> {
  const { form, effects, values, files } = options;
  const { accepted, ending } = await validated(
    { values, files, receivedAt: effects.now() },
    { form, effects },
  );
  if (!accepted) return err(ending?.kind === 'invalid' ? ending.errors : []);
  const run = (isPlan: boolean) => new TestRun(options, accepted, isPlan).report();
  return ok({ plan: () => run(true), send: () => run(false) });
}

class NotSent extends ClientError {}

const toVisitorAlone = (address: string) =>
  `it would go to the visitor (${address}), whose address is made up`;

class TestRun {
  readonly #options: TestOptions;
  readonly #isPlan: boolean;
  readonly #secrets = new KnownSecrets();
  /** The last answer to each delivery, by its id. */
  readonly #heard = new Map<string, HttpAnswer>();
  readonly #effects: Effects;
  readonly #transports: Transports;
  readonly #checked: Checked;
  readonly #scope: Scope;

  constructor(options: TestOptions, accepted: Pick<Checked, 'values' | 'files'>, isPlan: boolean) {
    const { form, settings, effects } = options;
    this.#options = options;
    this.#isPlan = isPlan;
    const env = this.#secrets.env(effects.env);
    this.#effects = { ...effects, env, http: markedHttp(this.#secrets.http(effects.http, this.#heard)) };
    const real = createTransports(this.#effects, settings.mailFromAddress);
    const pretending = { faultOf: () => undefined, isDelivering: false };
    this.#transports = isPlan ? pretendedTransports(real, pretending, effects) : real;
    const now = effects.now();
    this.#checked = {
      ...accepted,
      requestId: effects.uuid(),
      receivedAt: now,
      deadline: now + submissionBudgetMs,
      page: undefined,
      senderAddress: undefined,
      endsOnPage: false,
    };
    this.#scope = scopeOf(form.id, this.#checked, this.#effects, form.fields);
  }

  async report(): Promise<TestReport> {
    const { form, only } = this.#options;
    const outputs = await Promise.all([
      ...form.outputs.flatMap((output, place) => (only && !only.has(place) ? [] : this.#try(output, place))),
      ...(only ? [] : visitorMailsOf(form)).map(([key, mail]) => this.#mail(key, mail)),
    ]);
    return {
      form: form.id,
      values: form.fields.flatMap((field) =>
        (this.#checked.values.get(field.name) ?? []).map((value) => [labelOf(field), value] as const),
      ),
      outputs,
      consequence: this.#consequence(outputs),
    };
  }

  /** As the street would end it (SPEC: Submission rules 5 and 6). */
  #consequence(all: readonly TestedOutput[]): string | undefined {
    const { form } = this.#options;
    if (!form.outputs.some((output) => takes(output, form, this.#checked.values)))
      return 'no output takes a submission with these values: a visitor would read that sending failed';
    const failed = all.flatMap(({ place, result }) =>
      typeof place === 'number' && result === 'failed' ? (form.outputs[place] ?? []) : [],
    );
    if (failed.length === 0) return undefined;
    if (form.stages.owed) return 'a real submission would be kept, and delivered later';
    return failed.some(({ message, on_error }) => !message || on_error === 'fail')
      ? 'a visitor would read that sending failed'
      : 'a visitor would read the confirmation all the same: `on_error` is `continue`';
  }

  async #try(output: FormOutput, place: number): Promise<TestedOutput> {
    const { form } = this.#options;
    const { values, requestId } = this.#checked;
    const about = { ...aboutOutput(output, place), to: this.#room(output) };
    const { when, target } = output;
    const skipped = (says: string): TestedOutput => ({ ...about, result: 'skipped', says });
    if (!takes(output, form, values))
      return skipped(when && !applies(when, values) ? whyNot(when, values) : notForIt);
    if (target?.via === 'folder' || target?.via === 's3')
      return skipped('an archive stores no tests; relay doctor looks whether it could');
    let made: Message | undefined;
    const marked = markedOutput(output);
    const { message } = marked;
    const noted: FormOutput = {
      ...marked,
      message:
        message &&
        ((job: Job, scope: Scope) => {
          made = this.#withoutMadeUp(message(job, scope), output);
          return made;
        }),
    };
    const events: StreetEvent[] = [];
    const context = {
      form,
      effects: this.#effects,
      transports: this.#transports,
      tell: (event: StreetEvent) => void events.push(event),
    };
    const id = `${requestId}-${place}`;
    const ending = await deliverTo(noted, place, this.#checked, this.#scope, context, id);
    return this.#ended(
      { ...about, to: made && takesMail(made) ? recipientsOf(made) : about.to },
      output,
      made,
      id,
      ending,
      events,
    );
  }

  #ended(
    about: About,
    output: FormOutput,
    made: Message | undefined,
    id: string,
    ending: Awaited<ReturnType<typeof deliverTo>>,
    events: readonly StreetEvent[],
  ): TestedOutput {
    const { mask } = this.#secrets;
    const warnings = events.flatMap((event) =>
      event.kind === 'delivery_warned' ? [warningWords[event.warning]] : [],
    );
    const end = events.find(({ kind }) => kind === 'delivered' || kind === 'delivery_failed');
    const { ms = 0, payload = [] } = (end ?? {}) as { ms?: number; payload?: Job['payload'] };
    this.#secrets.payload(payload);
    if (ending instanceof NotSent)
      return { ...about, result: 'skipped', needsAddress: true, says: ending.message };
    if (ending !== 'taken') {
      const heard = this.#heard.get(id);
      const body = heard === undefined ? refusalWords(ending, mask) : bodyWords(heard.body, mask);
      return {
        ...about,
        result: 'failed',
        says: mask.text(failureWords(ending)) + (body === '' ? '' : `: ${body}`),
        remedy: ending instanceof ClientError ? testRemedy(ending, output, made) : undefined,
        warnings,
        ms,
      };
    }
    if (this.#isPlan) return { ...about, result: 'ready', says: '', warnings, ms: 0 };
    const answer = end?.kind === 'delivered' && made ? answerWords(made, end.answer, mask) : '';
    return { ...about, result: 'delivered', says: answer, warnings, ms };
  }

  /** The room of a chat, as the config or the environment names it. */
  #room(output: FormOutput): readonly string[] {
    return roomKeys.flatMap((key) => {
      const room = (output as unknown as Readonly<Record<string, unknown>>)[key];
      return room instanceof Template ? [this.#secrets.mask.text(room.render(this.#scope))] : [];
    });
  }

  /** Leaves out recipients that are made up. Throws `NotSent` if no others are left. */
  #withoutMadeUp(message: Message, { target }: FormOutput): Message {
    const { madeUp } = this.#options;
    if (!takesMail(message) || !takesMails(target)) return message;
    const ofVisitor = target.to
      .filter(({ fieldNames }) => [...fieldNames].some((name) => madeUp.has(name)))
      .flatMap((part) => parseMailbox(part.render(this.#scope).trim()) ?? [])
      .map(plainAddress);
    if (ofVisitor.length === 0) return message;
    const to = message.to.filter((mailbox) => !ofVisitor.includes(plainAddress(mailbox)));
    if (to.length === 0) throw new NotSent(toVisitorAlone(ofVisitor.join(', ')));
    return { ...message, to };
  }

  #mail(key: VisitorMailKey, mail: VisitorMail): TestedOutput {
    const carrier = carrierOf(mail, this.#options.form.outputs);
    return { ...aboutOutput(carrier, key), result: 'skipped', says: 'a test sends no mails to the visitor' };
  }
}

type About = Pick<TestedOutput, 'place' | 'type' | 'target' | 'to' | 'warnings' | 'ms'>;

const aboutOutput = (
  { type, target }: Pick<Output, 'type' | 'target'>,
  place: TestedOutput['place'],
): About => ({
  place,
  type,
  target: target?.name ?? '',
  to: [],
  warnings: [],
  ms: 0,
});

const roomKeys = ['channel', 'chat_id', 'room', 'topic'];

type MailMessage = Extract<Message, { via: 'smtp' | 'ses' }>;
const takesMail = (message: Message): message is MailMessage =>
  message.via === 'smtp' || message.via === 'ses';

const recipientsOf = ({ to, cc = [], bcc = [] }: MailMessage): readonly string[] =>
  [...to, ...cc, ...bcc].map(mailboxText);

const plainAddress = (mailbox: Mailbox) => addressOf(mailbox).toLowerCase();
