/**
 * A made-up submission that really goes through a form's outputs: templates, mapping, clients and timeouts are those of a
 * visitor's. It passes no spam checks, is marked, and no archive, metric or alert counts it. Nothing is kept.
 */
import { addressOf, mailboxText } from '@form-relay/core/base/address';
import { ClientError } from '@form-relay/core/base/client_error';
import type { Files, SentFile } from '@form-relay/core/base/files';
import { err, ok, type Result } from '@form-relay/core/base/result';
import type { Values } from '@form-relay/core/base/values';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import type { FieldError } from '@form-relay/core/outcome';
import type { FormOutput } from '@form-relay/core/outputs/output';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { deliverTo } from '@form-relay/core/pipeline/deliver';
import { validate } from '@form-relay/core/pipeline/validate';
import { createRelay, type RelayOptions } from '@form-relay/core/relay';
import { Template, type TemplateContext } from '@form-relay/core/schema/template';
import { templateContext } from '@form-relay/core/schema/template_context';
import type { Mail, Services } from '@form-relay/core/services';
import type { DeliveryResult, Submission } from '@form-relay/core/submission';
import { always, bundled } from '@form-relay/runtimes/bundled';
import { openNode } from '@form-relay/runtimes/services';
import { bodyWords, httpWords, refusalWords, replyWords } from './answer_words.ts';
import { KnownSecrets } from './known_secrets.ts';
import { currentTest, type Heard, testPlugin } from './test_marks.ts';
import { testRemedy } from './test_remedy.ts';
import { whySkipped } from './why_skipped.ts';

export interface TestOptions {
  /** The config and the environment, as for any relay. */
  readonly relay: RelayOptions;
  readonly formId: string;
  /** As a visitor would send them. */
  readonly values: Values;
  readonly files: Files<SentFile>;
  /** Fields with made-up values. No mail goes to an address in them. */
  readonly madeUp: ReadonlySet<string>;
  /** The places of the outputs to try, from 0. Default: all. */
  readonly only?: ReadonlySet<number> | undefined;
}

export interface TestReport {
  /** Its id. */
  readonly form: string;
  /** Labels and values; files by name and size. */
  readonly values: readonly (readonly [label: string, value: string])[];
  /** Mails to the visitor come last. */
  readonly outputs: readonly TestedOutput[];
  /** How the failures would affect a visitor; `undefined` if nothing failed. */
  readonly consequence: string | undefined;
}

export interface TestedOutput {
  /** Its place among the form's outputs, from 0; or the key of a mail to the visitor. */
  readonly place: number | string;
  readonly type: string;
  readonly target: string;
  /** The recipients of a mail, or the room of a chat. */
  readonly to: readonly string[];
  /** `ready`: in a plan. */
  readonly result: 'ready' | 'delivered' | 'failed' | 'skipped';
  /** It was skipped because it would go to the visitor, whose address is made up. */
  readonly needsAddress?: true;
  /** A single line without secrets: the answer, or the reason. May be empty. */
  readonly says: string;
  readonly remedy?: string | undefined;
  readonly warnings: readonly string[];
  /** How long it took, in milliseconds; 0 in a plan. */
  readonly ms: number;
}

/** A test whose values the form takes. */
export interface FormTest {
  /** Where each message would go. Asks no server. */
  plan(): Promise<TestReport>;
  /** Sends. Never rejects for what a server does. */
  send(): Promise<TestReport>;
}

/** Makes a test; or tells which of the values the form does not take. */
export async function createTest(options: TestOptions): Promise<Result<FormTest, readonly FieldError[]>> {
  const run = await openRun(options, true);
  try {
    const end = run.validate();
    if (end) return err(end);
  } finally {
    await run.close();
  }
  const report = async (isPlan: boolean) => {
    const run = await openRun(options, isPlan);
    try {
      run.validate();
      return await run.report();
    } finally {
      await run.close();
    }
  };
  return ok({ plan: () => report(true), send: () => report(false) });
}

class NotSent extends ClientError {}

const testHeader = 'X-Form-Relay-Test';

async function openRun(options: TestOptions, isPlan: boolean): Promise<TestRun> {
  const secrets = new KnownSecrets();
  const { plugins = [], services = {}, ...relayOptions } = options.relay;
  const relay = createRelay(
    {
      bundled,
      ...relayOptions,
      plugins: [testPlugin, ...always, ...plugins],
      dryRun: true,
      services: { ...(services.now && { now: services.now }), log: () => {} },
    },
    (base) => {
      const runtime = openNode(base);
      const real = { ...runtime.services, ...services };
      return { ...runtime, services: marked(real, secrets, isPlan, options) };
    },
  );
  const form = (await relay.config.get())?.forms.get(options.formId);
  if (!form) {
    await relay.close();
    throw new Error(`there is no form "${options.formId}"`);
  }
  const { uuid, now } = relay.services;
  const { values, files } = options;
  const about = { requestId: uuid(), receivedAt: now(), values };
  const submission = restoreSubmission(form, about, relay.settings);
  Object.assign(submission, { sent: values, sentFiles: files });
  return new TestRun(options, form, submission, secrets, isPlan, relay.close);
}

/** Services that mark what they send, and remember what was answered. */
function marked(
  real: Omit<Services, 'log'>,
  secrets: KnownSecrets,
  isPlan: boolean,
  { values, madeUp }: TestOptions,
): Omit<Services, 'log'> {
  const addresses = new Set(
    [...madeUp].flatMap((name) => (values.get(name) ?? []).map((value) => value.trim().toLowerCase())),
  );
  const markedMail = <M extends Mail>(mail: M): M => {
    const to = mail.to.filter((one) => !addresses.has(addressOf(one).toLowerCase()));
    const heard = currentTest();
    if (heard) heard.to = [...to, ...(mail.cc ?? []), ...(mail.bcc ?? [])].map(mailboxText);
    if (to.length === 0) {
      const ofVisitor = mail.to.map((one) => addressOf(one).toLowerCase()).join(', ');
      throw new NotSent(`it would go to the visitor (${ofVisitor}), whose address is made up`);
    }
    const others = [...(mail.headers ?? [])].filter(
      ([name]) => name.toLowerCase() !== testHeader.toLowerCase(),
    );
    return {
      ...mail,
      to,
      letterhead: undefined,
      subject: `[Test] ${mail.subject}`,
      headers: new Map([...others, [testHeader, '1']]),
    };
  };
  const hear = (says: string, body = '') => {
    const heard = currentTest();
    if (heard) Object.assign(heard, { says, body });
  };
  const { mask } = secrets;
  const http = secrets.http((request) =>
    real.http({
      ...request,
      // Without a prototype, `__proto__` is an ordinary name.
      headers: Object.assign(Object.create(null), request.headers, { [testHeader.toLowerCase()]: '1' }),
    }),
  );
  return {
    ...real,
    env: secrets.env(real.env),
    http: async (request) => {
      if (isPlan) return planned();
      const answer = await http(request);
      if (request.headers['idempotency-key'] !== undefined)
        hear(httpWords(answer, mask), bodyWords(answer.body, mask));
      return answer;
    },
    smtp: async (message) => {
      const mail = markedMail(message);
      if (isPlan) return planned();
      const reply = await real.smtp(mail);
      if (isReply(reply)) hear(replyWords(reply, mask));
      return reply;
    },
    ses: async (message) => {
      const mail = markedMail(message);
      if (isPlan) return planned();
      const answer = await real.ses(mail);
      if (isAnswer(answer)) hear(httpWords(answer, mask));
      return answer;
    },
  };
}

/** A plan ends where something would be sent. */
function planned(): never {
  throw new Planned('planned');
}
class Planned extends ClientError {}

type Reply = Parameters<typeof replyWords>[0];
type Answer = Parameters<typeof httpWords>[0];
const isReply = (answer: unknown): answer is Reply =>
  typeof answer === 'object' && answer !== null && 'lines' in answer;
const isAnswer = (answer: unknown): answer is Answer =>
  typeof answer === 'object' && answer !== null && 'status' in answer;

class TestRun {
  readonly #options: TestOptions;
  readonly #form: Form;
  readonly #submission: Submission;
  readonly #secrets: KnownSecrets;
  readonly #isPlan: boolean;
  readonly close: () => Promise<void>;

  constructor(
    options: TestOptions,
    form: Form,
    submission: Submission,
    secrets: KnownSecrets,
    isPlan: boolean,
    close: () => Promise<void>,
  ) {
    this.#options = options;
    this.#form = form;
    this.#submission = submission;
    this.#secrets = secrets;
    this.#isPlan = isPlan;
    this.close = close;
  }

  /** The values that the form does not take; then nothing can be sent. */
  validate(): readonly FieldError[] | undefined {
    const end = validate(this.#submission, this.#form);
    return end && (end.errors ?? []);
  }

  async report(): Promise<TestReport> {
    const { only } = this.#options;
    const form = this.#form;
    const outputs = await Promise.all(
      form.outputs.flatMap((output, place) => (only && !only.has(place) ? [] : this.#try(output, place))),
    );
    const mails = only
      ? []
      : ['confirmation_mail', 'double_opt_in', 'resume'].flatMap((key) => this.#mail(key));
    const all = [...outputs, ...mails];
    return {
      form: form.id,
      values: form.fields.flatMap((field) =>
        (this.#submission.values.get(field.name) ?? []).map(
          (value) => [labelOf(field, form.locale(undefined)), value] as const,
        ),
      ),
      outputs: all,
      consequence: this.#consequence(all),
    };
  }

  /** As the pipeline would end it (SPEC: Submission rules 5 and 6). */
  #consequence(all: readonly TestedOutput[]): string | undefined {
    const { outputs, provided } = this.#form;
    if (!outputs.some((output) => this.#takes(output)))
      return 'no output takes a submission with these values: a visitor would read that sending failed';
    const failed = all.flatMap(({ place, result }) =>
      typeof place === 'number' && result === 'failed' ? (outputs[place] ?? []) : [],
    );
    if (failed.length === 0) return undefined;
    if (provided.get('keep')) return 'a real submission would be kept, and delivered later';
    return failed.some(({ transport, on_error }) => !transport || on_error === 'fail')
      ? 'a visitor would read that sending failed'
      : 'a visitor would read the confirmation all the same: `on_error` is `continue`';
  }

  #takes({ accepts }: FormOutput): boolean {
    return !accepts || accepts(this.#submission);
  }

  async #try(output: FormOutput, place: number): Promise<TestedOutput> {
    const about = { ...aboutOutput(output, place), to: this.#room(output) };
    const skipped = (says: string): TestedOutput => ({ ...about, result: 'skipped', says });
    if (!this.#takes(output)) return skipped(whySkipped(output, this.#submission.values));
    if (output.isArchive) return skipped('an archive stores no tests; relay doctor looks whether it could');
    const heard: Heard = { to: about.to, says: '', body: '', warnings: [], error: undefined, payload: [] };
    const result = await currentTest.run(heard, () =>
      deliverTo({ ...output, retries: 0 }, place, this.#submission),
    );
    this.#secrets.payload(heard.payload);
    return this.#ended({ ...about, to: heard.to, warnings: heard.warnings }, output, heard, result);
  }

  #ended(about: About, output: FormOutput, heard: Heard, { reason, ms }: DeliveryResult): TestedOutput {
    const { mask } = this.#secrets;
    const { error, says, body } = heard;
    if (error instanceof NotSent)
      return { ...about, result: 'skipped', needsAddress: true, says: error.message };
    if (error instanceof Planned) return { ...about, result: 'ready', says: '', ms: 0 };
    if (reason === undefined) return { ...about, result: this.#isPlan ? 'ready' : 'delivered', says, ms };
    const words = body || refusalWords(error, mask);
    return {
      ...about,
      result: 'failed',
      says: mask.text(reason) + (words === '' ? '' : `: ${words}`),
      remedy: error instanceof ClientError ? testRemedy(error, output, this.#context(output)) : undefined,
      ms,
    };
  }

  #context({ form }: FormOutput): TemplateContext {
    const { formId, values, receivedAt, services } = this.#submission;
    return templateContext(formId, values, receivedAt, services, form);
  }

  /** The room of a chat, as the config or the environment names it. */
  #room(output: FormOutput): readonly string[] {
    return roomKeys.flatMap((key) => {
      const room: unknown = Reflect.get(output, key);
      if (!(room instanceof Template)) return [];
      return [this.#secrets.mask.text(room.render(this.#context(output)))];
    });
  }

  #mail(key: string): TestedOutput | [] {
    if (!this.#form.provided.get(key as never)) return [];
    const carrier = this.#form.outputs.find(({ transport }) =>
      /^(smtp|ses)$/.test(transport?.protocol ?? ''),
    );
    const about = carrier ? aboutOutput(carrier, key) : { ...nothing, place: key, type: '', target: '' };
    return { ...about, result: 'skipped', says: 'a test sends no mails to the visitor' };
  }
}

type About = Pick<TestedOutput, 'place' | 'type' | 'target' | 'to' | 'warnings' | 'ms'>;

const nothing = { to: [], warnings: [], ms: 0 };

const aboutOutput = (
  { type, transport }: Pick<FormOutput, 'type' | 'transport'>,
  place: TestedOutput['place'],
): About => ({ ...nothing, place, type, target: transport?.target ?? '' });

const roomKeys = ['channel', 'chat_id', 'room', 'topic'];
