/**
 * Sends a made-up submission through a form's real outputs: templates, mapping, clients and timeouts are the
 * same as for visitors. Spam checks are skipped, the submission is marked, and no archive, metric or alert
 * counts it. Nothing is queued.
 */
import { ClientError } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import type { Files, SentFile, Values } from '@form-relay/base/values';
import { type OAuth2, tokenRequest } from '@form-relay/clients/oauth2';
import { smtpRemedy, variablesIn } from '@form-relay/clients/probes/smtp_remedy';
import { tokenRemedy } from '@form-relay/clients/probes/token';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import { templateContext } from '@form-relay/core/outputs/delivery';
import type { FormOutput } from '@form-relay/core/outputs/output';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { deliverTo } from '@form-relay/core/pipeline/deliver';
import { validate } from '@form-relay/core/pipeline/validate';
import type { FieldError, Submission } from '@form-relay/core/submission';
import { mayPass } from '@form-relay/queue/retry_policy';
import { always, bundled } from '@form-relay/runtimes/bundled';
import { openClientsOf } from '@form-relay/runtimes/node/relay';
import { createRelay, type RelayOptions } from '@form-relay/runtimes/relay';
import { openNode } from '@form-relay/runtimes/services';
import type { TemplateContext } from '@form-relay/schema/template';
import type {} from '@form-relay/visitor-mails/double_opt_in';
import type {} from '@form-relay/visitor-mails/mail';
import { type Recording, record, recordingPlugin } from './printing.ts';
import { addressesIn, KnownSecrets, marked, NotSent, Planned, refusalWords } from './test_services.ts';
import { whySkipped } from './write_report.ts';

export interface TestOptions {
  /** The options of any relay: config and environment. */
  readonly relay: RelayOptions;
  readonly formId: string;
  /** The values, as a visitor would send them. */
  readonly values: Values;
  readonly files: Files<SentFile>;
  /** Fields with made-up values. No mail is sent to an address in them. */
  readonly madeUp: ReadonlySet<string>;
  /** The indexes of the outputs to test. Default: all. */
  readonly only?: ReadonlySet<number> | undefined;
}

export interface TestReport {
  /** The form's id. */
  readonly form: string;
  /** Labels and values; name and size for files. */
  readonly values: readonly (readonly [label: string, value: string])[];
  /** Mails to the visitor come last. */
  readonly outputs: readonly TestedOutput[];
  /** How the failures would affect a visitor; `undefined` if nothing failed. */
  readonly consequence: string | undefined;
}

export interface TestedOutput {
  /** The index of the output, from 0, or the key of a mail to the visitor. */
  readonly place: number | string;
  readonly type: string;
  readonly target: string;
  /** The recipients of a mail, or the room of a chat. */
  readonly to: readonly string[];
  /** `ready`: only planned. */
  readonly result: 'ready' | 'delivered' | 'failed' | 'skipped';
  /** Set if the mail was skipped because it is for the visitor, whose address is made up. */
  readonly needsAddress?: true;
  /** A single line without secrets: the response, or the reason. May be empty. */
  readonly says: string;
  readonly remedy?: string | undefined;
  readonly warnings: readonly string[];
  /** How long it took, in milliseconds; 0 in a plan. */
  readonly ms: number;
}

/** A test with values that the form accepts. */
export interface FormTest {
  /** Plans where each message would be sent. Contacts no server. */
  plan(): Promise<TestReport>;
  /** Sends the messages. Never rejects because of a server. */
  send(): Promise<TestReport>;
}

/** Makes a test, or reports which values the form rejects. */
export async function createTest(options: TestOptions): Promise<Result<FormTest, readonly FieldError[]>> {
  const run = await openRun(options, true);
  await run.close();
  if (run.refused) return err(run.refused);
  const report = async (isPlan: boolean) => {
    const run = await openRun(options, isPlan);
    try {
      return await reportOf(run);
    } finally {
      await run.close();
    }
  };
  return ok({ plan: () => report(true), send: () => report(false) });
}

interface Run {
  readonly options: TestOptions;
  readonly form: Form;
  readonly submission: Submission;
  /** The values that the form rejects, in which case nothing can be sent. */
  readonly refused: readonly FieldError[] | undefined;
  readonly secrets: KnownSecrets;
  /** The indexes of the outputs with a failure that does not pass by itself. */
  readonly lasting: Set<number>;
  readonly isPlan: boolean;
  readonly close: () => Promise<void>;
}

async function openRun(options: TestOptions, isPlan: boolean): Promise<Run> {
  const { values, files, madeUp, formId } = options;
  const secrets = new KnownSecrets();
  const { plugins = [], services = {}, ...relayOptions } = options.relay;
  const { config, settings, close, ...relay } = createRelay(
    {
      bundled,
      ...relayOptions,
      openClients: openClientsOf(relayOptions),
      plugins: [recordingPlugin(true, '[Test]'), ...always, ...plugins],
      dryRun: true,
      services: { ...(services.now && { now: services.now }), log: () => {} },
    },
    (base) => {
      const runtime = openNode(base);
      const real = { ...runtime.services, ...services };
      return { ...runtime, services: marked(real, secrets, isPlan, addressesIn(madeUp, values)) };
    },
  );
  const form = (await config.get())?.forms.get(formId);
  if (!form) {
    await close();
    throw new Error(`there is no form "${formId}"`);
  }
  const { uuid, now } = relay.services;
  const submission = restoreSubmission(form, { requestId: uuid(), receivedAt: now(), values }, settings);
  Object.assign(submission, { sent: values, sentFiles: files });
  const end = validate(submission, form);
  const refused = end && (end.errors ?? []);
  return { options, form, submission, refused, secrets, lasting: new Set(), isPlan, close };
}

async function reportOf(run: Run): Promise<TestReport> {
  const { form, submission, options } = run;
  const { only } = options;
  const outputs = await Promise.all(
    form.outputs.flatMap((output, place) => (only && !only.has(place) ? [] : tryOutput(run, output, place))),
  );
  const mails = only ? [] : mailsToVisitor.flatMap((key) => mailOf(form, key));
  const all = [...outputs, ...mails];
  return {
    form: form.id,
    values: form.fields.flatMap((field) =>
      (submission.values.get(field.name) ?? []).map(
        (value) => [labelOf(field, form.locale(undefined)), value] as const,
      ),
    ),
    outputs: all,
    consequence: consequenceOf(run, all),
  };
}

const takes = ({ submission }: Run, { accepts }: FormOutput): boolean => !accepts || accepts(submission);

/** The outcome according to the pipeline's rules (SPEC: Submission rules 5 and 6). */
function consequenceOf(run: Run, all: readonly TestedOutput[]): string | undefined {
  const { outputs, provided } = run.form;
  if (!outputs.some((output) => takes(run, output)))
    return 'no output receives a submission with these values: a visitor would see an error';
  const places = all.flatMap(({ place, result }) =>
    typeof place === 'number' && result === 'failed' ? [place] : [],
  );
  const failed = places.flatMap((place) => outputs[place] ?? []);
  if (failed.length === 0) return undefined;
  if (provided.get('keep')) {
    const lasting = places.filter((place) => run.lasting.has(place)).map((place) => `outputs[${place}]`);
    return lasting.length === 0
      ? 'a real submission would be queued, and delivered later'
      : `a real submission would be queued, and wait as a dead letter until you fix ${lasting.join(', ')}`;
  }
  return failed.some(({ transport, on_error }) => !transport || on_error === 'fail')
    ? 'a visitor would see an error'
    : 'a visitor would still see the confirmation: `on_error` is `continue`';
}

async function tryOutput(run: Run, output: FormOutput, place: number): Promise<TestedOutput> {
  const { submission, secrets } = run;
  const about = { ...aboutOutput(output, place), to: roomOf(run, output) };
  const skipped = (says: string): TestedOutput => ({ ...about, result: 'skipped', says });
  if (!takes(run, output)) return skipped(whySkipped(output, submission.values));
  if (output.isArchive) return skipped('archives do not store tests; check the archive with relay doctor');
  const recording: Recording = { answered: undefined, deliveries: new Map(), logged: [] };
  const result = await record(recording, () => deliverTo({ ...output, retries: 0 }, place, submission));
  const [recorded] = recording.deliveries.values();
  secrets.payload(recorded?.payload ?? []);
  const { to = about.to, says = '', body = '' } = recorded?.heard ?? {};
  const tried = { ...about, to, warnings: recorded?.warnings ?? [] };
  const { error } = recorded ?? {};
  const { reason, ms } = result;
  if (error instanceof NotSent)
    return { ...tried, result: 'skipped', needsAddress: true, says: error.message };
  if (error instanceof Planned) return { ...tried, result: 'ready', says: '', ms: 0 };
  if (reason === undefined) return { ...tried, result: run.isPlan ? 'ready' : 'delivered', says, ms };
  if (result.error !== undefined && !mayPass(result.error)) run.lasting.add(place);
  const words = body || refusalWords(error, secrets.mask);
  return {
    ...tried,
    result: 'failed',
    says: secrets.mask.text(reason) + (words === '' ? '' : `: ${words}`),
    remedy: error instanceof ClientError ? testRemedy(error, output, contextOf(run, output)) : undefined,
    ms,
  };
}

function contextOf({ submission }: Run, { form }: FormOutput): TemplateContext {
  const { formId, values, receivedAt, services } = submission;
  return templateContext(formId, values, receivedAt, services, form);
}

const roomKeys: ReadonlySet<unknown> = new Set(['channel', 'chat_id', 'room', 'topic']);

/** The room of a chat, named in the config or the environment. */
const roomOf = (run: Run, output: FormOutput): readonly string[] =>
  output.templates.flatMap(({ path: [key], template }) =>
    roomKeys.has(key) ? run.secrets.mask.text(template.render(contextOf(run, output))) : [],
  );

const mailsToVisitor = ['confirmation_mail', 'double_opt_in'] as const;

function mailOf({ provided, outputs }: Form, key: (typeof mailsToVisitor)[number]): TestedOutput | [] {
  if (!provided.get(key)) return [];
  const carrier = outputs.find(({ transport }) => /^(smtp|ses)$/.test(transport?.protocol ?? ''));
  const about = carrier ? aboutOutput(carrier, key) : { ...nothing, place: key, type: '', target: '' };
  return { ...about, result: 'skipped', says: 'a test sends no mail to the visitor' };
}

type About = Pick<TestedOutput, 'place' | 'type' | 'target' | 'to' | 'warnings' | 'ms'>;

const nothing = { to: [], warnings: [], ms: 0 };

const aboutOutput = ({ type, transport }: FormOutput, place: TestedOutput['place']): About => ({
  ...nothing,
  place,
  type,
  target: transport?.target ?? '',
});

/** Advice for the owner on a failed delivery. `undefined` if the reason says enough. */
export function testRemedy(
  error: ClientError,
  output: FormOutput,
  context: TemplateContext,
): string | undefined {
  const { code } = error;
  const params: { readonly status?: number; readonly command?: string } = error.params;
  const variables = variablesIn(output.templates.map(({ template }) => template));
  if (code.startsWith('oauth2_')) return tokenRemedy(error, tokenUrlOf(output, context));
  if (code === 'http_status') return statusRemedy(params.status ?? 0, variables);
  if (code === 'smtp_refused' && error.retryAfterMs === undefined) {
    const known = refusedRemedies[params.command ?? ''];
    if (known !== undefined) return known;
  }
  if (output.transport?.protocol === 'smtp' && ofLogin.has(code)) {
    const [host = '', port = ''] = (output.transport?.target ?? '').split(/:(?=\d+$)/);
    return smtpRemedy(error, { host, port: Number(port) }, variables);
  }
  return seenByDoctor.has(code) ? 'Run relay doctor to find the cause.' : undefined;
}

/** The token endpoint of an output that uses access tokens. */
function tokenUrlOf(output: FormOutput, context: TemplateContext): URL | undefined {
  const { oauth2 } = output as FormOutput & { readonly oauth2?: OAuth2 };
  try {
    return oauth2 && tokenRequest(oauth2.grantOf(context), 0).url;
  } catch (error) {
    // The grant itself is malformed, and the error says so.
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}

/** For mails that the server refused after the login. The doctor does not test this, because it sends no mails. */
const refusedRemedies: Readonly<Record<string, string | undefined>> = {
  MAIL: 'Check `from`: many servers allow an account to send only from its own addresses.',
  RCPT: 'Check the addresses in `to`, `cc` and `bcc`, and that this server accepts mail for them.',
  DATA: "Ask the operator of the server why the mail is rejected: the server's log has the reason.",
};

const ofLogin: ReadonlySet<string> = new Set(['smtp_refused', 'login_refused', 'login_broken', 'no_auth']);

const seenByDoctor: ReadonlySet<string> = new Set([
  ...['unresolved', 'nobody_listens', 'unreachable', 'timed_out', 'tls_failed', 'certificate_expired'],
  ...['certificate_of_another_name', 'certificate_untrusted', 'turned_away', 'no_starttls'],
  ...['no_starttls_for_login', 'ses_status', 'aws_without_credentials', 'mail_from_unset'],
]);

function statusRemedy(status: number, variables: string): string | undefined {
  if (status === 401 || status === 403)
    return `Check the credentials of this output${variables && `: ${variables}`}, and their permissions.`;
  if (status === 400 || status === 415 || status === 422)
    return "Compare `mapping`, `static` or `body` with the service's documentation; relay explain shows the whole request.";
  return undefined;
}
