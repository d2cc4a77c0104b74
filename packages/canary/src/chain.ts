/** Tests a form: each link of its chain, from the owner's page to what outputs answer. */
import { ClientError } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import { formAnswer } from '@form-relay/core/http/answers';
import type { Form, FormOutput, Services, Settings, Submission } from '@form-relay/core/index';
import { templateContext, withRemark } from '@form-relay/core/outputs/delivery';
import type { Delivery, Transport } from '@form-relay/core/outputs/output';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { deliverTo } from '@form-relay/core/pipeline/deliver';
import { validate } from '@form-relay/core/pipeline/validate';
import { fileOf, sampleValues } from '@form-relay/dry-run/samples';
import type { Template } from '@form-relay/schema/template';
import type { Canary } from './index.ts';
import { provePage } from './page_links.ts';

/** `paused`: a server announced its maintenance. `skipped`: nothing was tried, so nothing is proven. */
export interface Link {
  readonly link: string;
  readonly target: string;
  readonly result: 'passed' | 'failed' | 'paused' | 'skipped';
  /** Why, on one line, without values and secrets. May be empty. */
  readonly says: string;
  readonly ms: number;
}

export interface Chain {
  readonly settings: Settings;
  /** The names of all forms of the config. */
  readonly formIds: readonly string[];
}

/** Tests all links of a form at once. Never rejects for what a server does. */
export async function proveForm(form: Form, canary: Canary, chain: Chain): Promise<readonly Link[]> {
  const { submission, refused } = canarySubmission(form, canary.values, chain);
  const all = await Promise.all([
    ...(canary.page ? [provePage(form, canary.page, chain)] : []),
    proveShown(form, chain),
    ...form.outputs.map((output, place) => proveOutput(output, place, submission, canary, chain)),
  ]);
  const says = `the form does not take the made-up ones in ${refused.join(', ')}; ${setValues}`;
  const wrong: Link = { link: 'values', target: '', result: 'skipped', says, ms: 0 };
  return refused.length > 0 ? [wrong, ...all.flat()] : all.flat();
}

/** The form can be shown: nothing that it needs is missing, such as FORM_TOKEN_SECRET. */
async function proveShown(form: Form, { settings }: Chain): Promise<Link> {
  const { services, renderers } = form;
  const startedAt = services.now();
  const request = { method: 'GET', path: '', query: '', headers: {}, body: undefined };
  const context = {
    request,
    requestId: '',
    form,
    forms: undefined,
    sent: undefined,
    settings,
    services,
    now: startedAt,
  };
  const more = { isPlain: false, isTrusted: false, renderers, english: form.locale(undefined) };
  // Answers of 4xx are for visitors: the form is full, or needs a link.
  const { status } = await formAnswer(form, { ...context, ...more }).catch(() => ({ status: 500 }));
  const ms = services.now() - startedAt;
  const about = { link: 'form', target: form.id, ms };
  const says = 'the relay cannot show it; run relay doctor to see what is missing';
  return status < 500 ? { ...about, result: 'passed', says: '' } : { ...about, result: 'failed', says };
}

/** Why the form is not proven to work, without what is well; empty if it is. */
export function faultsIn(links: readonly Link[]): readonly string[] {
  const failed = links.filter(({ result }) => result === 'failed');
  const isReached = links.some(({ link, result }) => link.startsWith('outputs') && result !== 'skipped');
  const wanting = isReached ? failed : [...failed, ...links.filter(({ result }) => result === 'skipped')];
  return wanting.map(({ link, target, says }) => `${link} ${target}: ${says}`);
}

/** Made-up values that the form takes, as a trusted server would send them: no check of browsers asks for more. */
function canarySubmission(
  form: Form,
  given: ReadonlyMap<string, string>,
  { settings }: Pick<Chain, 'settings'>,
): { readonly submission: Submission; readonly refused: readonly string[] } {
  const { services } = form;
  const now = services.now();
  const chosen = new Map([...given].map(([name, value]) => [name, [value]] as const));
  const values = new Map<string, string[]>();
  const files = new Map<string, NonNullable<ReturnType<typeof fileOf>>[]>();
  for (const [name, value] of sampleValues(form, now, chosen)) {
    const file = fileOf(value);
    if (file) files.set(name, [...(files.get(name) ?? []), file]);
    else values.set(name, [...(values.get(name) ?? []), value]);
  }
  const about = { requestId: `canary-${services.uuid()}`, receivedAt: now, values };
  const submission = restoreSubmission(form, about, settings);
  Object.assign(submission, { isTrusted: true, sent: values, sentFiles: files });
  // Outputs get them, even if the form takes none.
  const refused = (validate(submission, form)?.errors ?? []).map(({ field }) => field);
  return { submission, refused };
}

async function proveOutput(
  output: FormOutput,
  place: number,
  sampled: Submission,
  { values: given }: Canary,
  chain: Chain,
): Promise<Link> {
  const { services } = sampled;
  const { type, transport } = output;
  const target = transport?.target ? `${type} to ${transport.target}` : type;
  const about = { link: `outputs[${place}]`, target, says: '', ms: 0 };
  const skipped = (says: string): Link => ({ ...about, result: 'skipped', says });
  if (output.heldBack === 'only') return skipped('gets only doubted submissions');
  if (output.isArchive && transport?.probe) return { ...about, ...(await proveArchive(transport, services)) };
  const submission = acceptedBy(output, sampled, given, chain);
  if (!submission) return skipped(`no made-up values satisfy \`when\`; ${setValues}`);
  const { requestId, receivedAt, values, files, formId } = submission;
  const strangers = addressesOf(output, submission).filter((one) => isMadeUp(one, submission, given));
  if (strangers.length > 0) return skipped(`mails to the visitor, whose address is made up; ${setValues}`);
  const warnings: string[] = [];
  const log: Services['log'] = (_, event, fields) => {
    if (event === 'delivery_warning') warnings.push(String(fields?.reason));
  };
  const delivery = {
    ...{ requestId, receivedAt, values, files, formId },
    deadline: services.now() + output.timeoutMs,
    services: { ...services, log },
  };
  const marked = transport ? { ...output, transport: marking(transport) } : output;
  const { reason, error, ms } = await deliverTo(marked, place, delivery);
  if (reason === undefined) return { ...about, ms, result: 'passed', says: warnings.join('; ') };
  return { ...about, ms, result: isAnnounced(error) ? 'paused' : 'failed', says: reason };
}

const setValues = 'set `values` of `canary`';

/** A server that is in maintenance says until when (RFC 9110, 15.6.4). */
const isAnnounced = (error: unknown): boolean =>
  error instanceof ClientError &&
  (error.params as { readonly status?: number }).status === 503 &&
  (error.retryAfterMs ?? 0) > 0;

/** Receivers tell it by a header, a value and the subject. */
const marking = (inner: Transport): Transport => ({
  ...inner,
  send: (delivery, call) => inner.send(marked(delivery), call),
});

function marked(delivery: Delivery): Delivery {
  const title = '[Canary]';
  const { mail } = delivery;
  const remarked = withRemark(delivery, {
    name: '_canary',
    value: '1',
    label: 'Canary',
    words: 'The relay sent this to test the form.',
    header: 'X-Form-Relay-Canary',
  });
  return { ...remarked, titlePrefix: title, mail: { ...mail, subjectPrefix: title } };
}

/** An archive shows no tests, so a file is written and deleted. */
async function proveArchive(
  { probe }: Transport,
  { now }: Services,
): Promise<Pick<Link, 'result' | 'says' | 'ms'>> {
  const timeoutMs = 10_000;
  const startedAt = now();
  const call = { writes: true, timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const late = () => [{ level: 'failure', says: `not done within ${timeoutMs / 1_000} s` } as const];
  const found = await withTimeout(timeoutMs, probe?.(call) ?? Promise.resolve([]), late).catch(
    (error: unknown) => [
      { level: 'failure', says: error instanceof ClientError ? error.message : 'internal error' } as const,
    ],
  );
  const fault = found.find(({ level }) => level === 'failure');
  return { result: fault ? 'failed' : 'passed', says: fault?.says ?? '', ms: now() - startedAt };
}

/** The submission as this output takes it: where its `when` wants another option, with that. */
function acceptedBy(
  { accepts }: FormOutput,
  sampled: Submission,
  given: ReadonlyMap<string, string>,
  chain: Chain,
): Submission | undefined {
  if (!accepts || accepts(sampled)) return sampled;
  for (const { name, offered = [] } of sampled.form.fields)
    for (const option of given.has(name) ? [] : offered.slice(0, mostOptions)) {
      const { submission } = canarySubmission(sampled.form, new Map([...given, [name, option]]), chain);
      if (accepts(submission)) return submission;
    }
  return undefined;
}

const mostOptions = 50;

/** The recipients that its `to` names, as far as submitted values are among them. */
function addressesOf(output: FormOutput, { formId, values, receivedAt, services }: Submission) {
  const { to = [] }: { readonly to?: readonly Template[] } = output as object;
  const context = templateContext(formId, values, receivedAt, services, output.form);
  return to.flatMap((part) => (part.isSubmitted ? part.render(context) : []));
}

/** Whether an address comes from a field that only visitors fill in. */
const isMadeUp = (address: string, { form, values }: Submission, given: ReadonlyMap<string, string>) =>
  form.fields.some(
    ({ name, offered, value }) =>
      !given.has(name) &&
      !offered &&
      !value?.length &&
      values.get(name)?.some((one) => one.includes('@') && address.includes(one)),
  );
