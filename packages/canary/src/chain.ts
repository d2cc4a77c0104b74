/** Tests each link in a form's chain, from the owner's page to the responses of the outputs. */

import { ClientError, fail } from '@form-relay/base/client_error';
import { formSegments, parseUrl } from '@form-relay/base/url';
import { version } from '@form-relay/base/version';
import { withTimeout } from '@form-relay/base/with_timeout';
import { formAnswer } from '@form-relay/core/http/answers';
import type { Form, FormOutput, Services, Settings, Submission } from '@form-relay/core/index';
import { templateContext, withRemark } from '@form-relay/core/outputs/delivery';
import type { Delivery, Transport } from '@form-relay/core/outputs/output';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { deliverTo } from '@form-relay/core/pipeline/deliver';
import { validate } from '@form-relay/core/pipeline/validate';
import { fileOf, sampleValues } from '@form-relay/dry-run/samples';
import { checkPage, decodePage } from '@form-relay/page/check/check_page';
import type { Template } from '@form-relay/schema/template';
import { readToken } from '@form-relay/spam/form_token';
import type { Canary } from './index.ts';

/** `paused`: a server announced its maintenance. `skipped`: nothing was tested. */
export interface Link {
  readonly link: string;
  readonly target: string;
  readonly result: 'passed' | 'failed' | 'paused' | 'skipped';
  /** The reason, on one line, without values and secrets. May be empty. */
  readonly says: string;
  readonly ms: number;
}

export interface Chain {
  readonly settings: Settings;
  /** The names of all forms of the config. */
  readonly formIds: readonly string[];
}

/** Tests all links of a form at once. Never rejects because of a server's behaviour. */
export async function proveForm(form: Form, canary: Canary, chain: Chain): Promise<readonly Link[]> {
  const { submission, refused } = canarySubmission(form, canary.values, chain);
  const all = await Promise.all([
    ...(canary.page ? [provePage(form, canary.page, chain)] : []),
    proveShown(form, chain),
    ...form.outputs.map((output, place) => proveOutput(output, place, submission, canary, chain)),
  ]);
  const says = `the form rejects the made-up values of ${refused.join(', ')}; ${setValues}`;
  const wrong: Link = { link: 'values', target: '', result: 'skipped', says, ms: 0 };
  return refused.length > 0 ? [wrong, ...all.flat()] : all.flat();
}

/** Tests whether the form can be shown, so that no requirement is missing, such as FORM_TOKEN_SECRET. */
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
  // Responses with a 4xx status are meant for visitors: the form is full, or needs a link.
  const { status } = await formAnswer(form, { ...context, ...more }).catch(() => ({ status: 500 }));
  const ms = services.now() - startedAt;
  const about = { link: 'form', target: form.id, ms };
  const says = 'the relay cannot show the form; run relay doctor to see what is missing';
  return status < 500 ? { ...about, result: 'passed', says: '' } : { ...about, result: 'failed', says };
}

/** The reasons why a form is not proven to work, without the links that do; empty if it works. */
export function faultsIn(links: readonly Link[]): readonly string[] {
  const failed = links.filter(({ result }) => result === 'failed');
  const isReached = links.some(({ link, result }) => link.startsWith('outputs') && result !== 'skipped');
  const wanting = isReached ? failed : [...failed, ...links.filter(({ result }) => result === 'skipped')];
  return wanting.map(({ link, target, says }) => `${link} ${target}: ${says}`);
}

/** A submission of synthetic values that the form accepts, as if a trusted server had sent it, so that no browser check applies. */
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
  // Outputs get the values even if the form rejects them.
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
  if (output.heldBack === 'only') return skipped('gets only submissions in doubt');
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

/** During maintenance, a server says how long it lasts (RFC 9110, 15.6.4). */
const isAnnounced = (error: unknown): boolean =>
  error instanceof ClientError &&
  (error.params as { readonly status?: number }).status === 503 &&
  (error.retryAfterMs ?? 0) > 0;

/** Receivers recognise a test by a header, a value and the subject. */
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

/** Tests must not appear in an archive, so this writes a file and deletes it. */
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

/** The submission in a form that this output accepts: if its `when` requires another option, that one is selected. */
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

/** The recipients that its `to` names, as far as they come from submitted values. */
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

const timeoutMs = 10_000;
const mostBytes = 2_097_152;
const mostRedirects = 3;

/** Tests the page, and the relay at the address in its form. */
export async function provePage(form: Form, page: URL, chain: Chain): Promise<readonly Link[]> {
  const { services } = form;
  const tried = async <T>(link: string, target: string, work: () => Promise<T>) => {
    const startedAt = services.now();
    const about = (result: Link['result'], says: string): Link => ({
      ...{ link, target, result, says },
      ms: services.now() - startedAt,
    });
    try {
      return { value: await work(), about: about('passed', '') };
    } catch (error) {
      return { about: about('failed', error instanceof ClientError ? error.message : 'internal error') };
    }
  };
  const shown = page.origin + page.pathname;
  const { value: address, about } = await tried('page', shown, () => addressIn(page, form, chain));
  if (!address) return [about];
  const relay = await tried('relay', address.origin, () => askRelay(address, form, chain));
  return [about, relay.about];
}

/** The relay's address in a page, if the page matches the form. Throws a `ClientError` that says what does not match. */
async function addressIn(page: URL, form: Form, { formIds }: Chain): Promise<URL> {
  const { body, from } = await get(page, form.services);
  const decoded = decodePage(body);
  if (!decoded.ok) throw fail(decoded.error);
  const { text, encoding } = decoded.value;
  const subject = { config: form, formIds, baseUrl: undefined, encoding };
  const { problems, address } = await checkPage(text, page.pathname, subject);
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (wrong) throw fail(`line ${wrong.line}: ${wrong.message} (relay check lists all problems)`);
  const url = parseUrl(address ?? '', from);
  if (!url) throw fail('the page contains no address of the relay');
  return url;
}

/** Requests a token as the page's visitors do. Throws a `ClientError` if the response is not from this relay. */
async function askRelay(address: URL, form: Form, { settings }: Chain): Promise<void> {
  const token = form.provided.get('form_token');
  const route = token ? 'token' : 'form';
  const url = new URL(address);
  url.pathname = url.pathname.replace(
    /(?:\/api\/v1\/(?:submit|form)|\/f)((?:\/[^/]+){1,2})$/,
    `/api/v1/${route}$1`,
  );
  url.search = '';
  const { body } = await get(url, form.services);
  const [, value = ''] = (token && /\bvalue="([^"]+)"/.exec(body.toString())) ?? [];
  const isOurs = token
    ? readToken(settings.formTokenSecret, form.id, value)
    : body.includes(`/api/v1/submit/${formSegments(form.id)}`);
  if (!isOurs) throw fail('another server answered, or a relay with another config or FORM_TOKEN_SECRET');
}

/** Fetches a page of up to 2 MB. Follows redirects only on the same host, since the owner did not name other pages. */
async function get(url: URL, services: Services): Promise<{ readonly body: Buffer; readonly from: URL }> {
  const { http } = await services.aws();
  const deadline = services.now() + timeoutMs;
  let from = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await http({
      method: 'GET',
      url: from,
      headers: { 'user-agent': `form-relay/${version} (canary)`, accept: 'text/html' },
      body: '',
      timeoutMs: Math.max(1, deadline - services.now()),
      limitBytes: mostBytes,
    });
    const { status, headers, body, isCut } = answer;
    const next = status >= 300 && status < 400 ? parseUrl(headers.location ?? '', from) : undefined;
    if (!next) {
      if (status !== 200) throw fail(`the server answered ${status}`);
      if (isCut) throw fail('the page is larger than 2 MB');
      return { body, from };
    }
    if (next.hostname !== url.hostname)
      throw fail(`the server redirects to ${next.origin}; if that is right, use that address`);
    from = next;
  }
  throw fail(`the server redirected more than ${mostRedirects} times`);
}
