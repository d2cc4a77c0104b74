/** `/api/v1/ask/{form}`: makes an ask, and tells its asker how it went. */

import { parseSubmittedAddress } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { momentWords } from '@form-relay/base/time_zone';
import { formSegments, mostLinkCharacters, parseUrl } from '@form-relay/base/url';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue } from '@form-relay/base/values';
import { fromJson } from '@form-relay/core/fields/json';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import type { Form, Outcome, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import { refused } from '@form-relay/core/submission';
import { renderMail } from '@form-relay/more-outputs/html_mail';
import { linkedRuns } from '@form-relay/more-outputs/templates';
import { pageAddress, withQuery } from '@form-relay/pages/printed_form';
import { object } from '@form-relay/schema/collections';
import { Diagnostics, Report } from '@form-relay/schema/diagnostics';
import { duration, httpUrl, text, texts } from '@form-relay/schema/scalars';
import { isMap, optional, required, type Schema } from '@form-relay/schema/schema';
import { valuesFor } from '@form-relay/senders/links/link_values';
import { type Link, linkField, openLink, sealLink } from '@form-relay/senders/links/sealed_link';
import { cancelLink, type Status, statusNow } from '@form-relay/senders/links/single_use';
import type { SharedState } from '@form-relay/stores/store';
import { ownMailCarrier } from '@form-relay/visitor-mails/own_mail';
import { type AskId, type Asking, longestMs, newId, readId } from './ask.ts';
import { type Answer, hostOf, hostsOf, readAnswer } from './asker.ts';

export interface AskContext {
  readonly asking: Asking;
  readonly form: Form;
  readonly services: Services;
  readonly settings: Settings;
  /** Aborts when the relay stops. */
  readonly signal: AbortSignal | undefined;
}

/** Answers a server with a key of the form. */
export async function answerTo(submission: Submission, body: string, context: AskContext): Promise<Outcome> {
  const { method, path, query } = submission.request;
  const { form, settings } = context;
  // The name of a client's form has two segments.
  const [, text] =
    /^\/api\/v1\/ask\/[^/]+\/([^/]+)$/.exec(path.replace(`/${formSegments(form.id)}`, '/form')) ?? [];
  try {
    if (text === undefined)
      return method === 'POST' ? await ask(body, submission, context) : refused(400, 'ask_unnamed');
    const id = readId(settings.formTokenSecret, form.id, text);
    if (!id) return refused(404, 'ask_unknown');
    if (method === 'POST') return await act(id, body, context);
    const seconds = Number(firstValue(parseQuery(query) ?? new Map(), 'wait') || 0);
    if (!(seconds >= 0 && seconds <= mostWaitSeconds))
      return malformed(`wait: expected 0 to ${mostWaitSeconds} seconds`);
    return said(200, await wait(id, seconds * 1_000, context));
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const why = `the store cannot look up the ask: ${error.message}`;
    return { ...refused(503, 'ask_unavailable'), kind: 'uncounted', headers: { 'retry-after': '5' }, why };
  }
}

const said = (status: number, json: object): Outcome => ({
  kind: 'asked',
  status,
  answer: jsonAnswer(status, json),
});

const malformed = (reason: string): Outcome => refused(422, 'ask_malformed', { reason });

const body = object({
  to: optional('', object({ email: required('', text()) })),
  values: optional('', ((value, at) => (isMap(value) ? value : at.error('expected an object'))) as Schema<
    Readonly<Record<string, unknown>>
  >),
  locked: optional('', texts()),
  expires: optional('', duration({ hasDays: true, leastMs: 60_000, mostMs: longestMs })),
  answer_to: optional('', httpUrl()),
  reference: optional('', text()),
});

const action = object({ action: required('', text()), url: optional('', text()) });

/** The body, or what is wrong with it. */
function read<T>(schema: Schema<T>, json: string): T | Outcome {
  let written: unknown;
  try {
    written = JSON.parse(json);
  } catch {
    return malformed('expected JSON');
  }
  const plain = isMap(written)
    ? Object.fromEntries(
        Object.entries(written).map(([key, one]) => [key, typeof one === 'number' ? String(one) : one]),
      )
    : written;
  const report = new Report(plain);
  const value = schema(plain, new Diagnostics([], report));
  const reasons = report.errors.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  return value === undefined || reasons.length > 0 ? malformed(reasons.join('; ')) : value;
}

const mostReference = 200;

/** Makes the link, and mails it. A try that is repeated makes the same ask. */
async function ask(json: string, submission: Submission, context: AskContext): Promise<Outcome> {
  const { asking, form, services, settings } = context;
  const { formTokenSecret: secret, publicUrl } = settings;
  const base = asking.page?.href ?? (publicUrl === undefined ? undefined : pageAddress(publicUrl, form));
  if (secret === '' || base === undefined)
    return {
      ...refused(500, 'undelivered'),
      level: 'error',
      why: 'FORM_TOKEN_SECRET or PUBLIC_URL is not set',
    };
  const asked = read(body, json);
  if ('kind' in asked) return asked as Outcome;
  const { to, values = {}, locked = [], answer_to: address, reference = '' } = asked;
  const mailbox = to && parseSubmittedAddress(to.email.trim());
  if (to && !mailbox) return malformed('to.email: expected one address such as ada@example.org');
  const hosts = hostsOf(form);
  if (address && !hostOf(hosts, address))
    return malformed(
      hosts
        ? `answer_to: ${address.host} is no host of \`hosts\` in the output of type asker`
        : 'answer_to: the form has no output of type asker',
    );
  if (reference.length > mostReference)
    return malformed(`reference: has more than ${mostReference} characters`);
  const filled = valuesIn(values, locked, form, settings);
  if ('kind' in filled) return filled as Outcome;
  const until = Math.floor((submission.receivedAt + (asked.expires ?? asking.expires)) / 1_000) * 1_000;
  const isAwaited = address === undefined && hosts !== undefined;
  const id = newId(secret, form.id, { until, isAwaited }, submission.requestId);
  const data = [id, address?.href ?? '', reference, to?.email.trim() ?? ''];
  const link: Link = { until, values: filled, locked, singleUse: id, purpose: { feature: 'ask', data } };
  const url = withQuery(base, `${linkField}=${sealLink(secret, form.id, link, id)}`);
  if (url.length > mostLinkCharacters)
    return malformed(
      `the link would have ${url.length} characters; programs cut it after ${mostLinkCharacters}`,
    );
  const failure = mailbox && (await mail('ask', { link, url }, context));
  const about = { request_id: submission.requestId, form: form.id };
  if (failure !== undefined) {
    services.log('error', 'ask_unsent', { ...about, reason: failure });
    return { ...refused(503, 'ask_unsent'), kind: 'undelivered' };
  }
  services.log('info', 'asked', { ...about, mailed: mailbox !== undefined });
  return said(201, { id, url, expires: new Date(until).toISOString() });
}

/** The values of a link, as the form takes them; or why it refuses them. */
function valuesIn(
  given: Readonly<Record<string, unknown>>,
  locked: readonly string[],
  form: Form,
  settings: Settings,
): Link['values'] | Outcome {
  const written = new Map<string, readonly string[]>();
  const words: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === false) continue;
    const field = form.fields.find((one) => one.name === name);
    const texts = field?.inputs ? [JSON.stringify(value)] : fromJson(field ?? { offered: undefined }, value);
    const count = Array.isArray(value) ? value.length : 1;
    if (texts.length < count) words.push(`${name}: expected text, a number or true, or a list of these`);
    else written.set(name, texts);
  }
  const { values, mistakes } = valuesFor(form, written, locked, settings);
  for (const name of locked) if (!written.has(name)) words.push(`locked: there is no value for ${name}`);
  for (const one of mistakes) if (typeof one === 'string') words.push(one);
  if (words.length > 0) return malformed(words.join('; '));
  const errors = mistakes.filter((one) => typeof one !== 'string');
  return errors.length > 0 ? invalid(errors) : values;
}

/** Resolves with why it was not sent, in words. */
async function mail(
  kind: 'ask' | 'reminder',
  { link, url }: { readonly link: Link; readonly url: string },
  { asking, form, services, settings }: AskContext,
): Promise<string | undefined> {
  const [id, , , to = ''] = link.purpose?.data ?? [];
  const carrier = ownMailCarrier(form, services, settings);
  if (!carrier) return 'the form has no output that sends mails';
  const locale = form.locale(undefined);
  const say = (code: string, params = {}) => locale.translate({ code, params });
  const name = locale.text(asking.name);
  const title = form.title === undefined ? form.id : locale.text(form.title);
  const time = momentWords(link.until, form.provided.get('time_zone'));
  const intro = asking.text ? locale.text(asking.text) : say('ask_note', { name, time });
  const { html, text } = renderMail({
    ...{ language: locale.language ?? 'en', direction: locale.direction ?? 'ltr', title },
    ...{ intro: linkedRuns(intro), entries: [], footer: [], look: form.provided.get('look') },
    button: { words: say('ask_open'), href: url },
  });
  const subject = `${name}: ${title}`;
  const sent = await carrier.send({
    ...{ key: `${kind} ${id}`, to, text, ...(carrier.isHtml && { html }) },
    subject: kind === 'ask' ? subject : say('ask_reminder', { subject }),
  });
  if (sent.state === 'sent' || sent.state === 'unsure') return undefined;
  return sent.why;
}

type State = 'open' | 'pending' | 'answered' | 'cancelled' | 'expired';

/** What the asker gets. */
interface Told {
  readonly id: string;
  readonly state: State;
}

const ends: Readonly<Partial<Record<Status, State>>> = {
  held: 'pending',
  stored: 'pending',
  cancelled: 'cancelled',
};

/** How it went so far. `pending`: it was answered, and the answer waits for a click, or is being delivered. */
async function stateOf(id: AskId, context: AskContext): Promise<Told & Partial<Answer>> {
  const { form, services } = context;
  const { text, until, isAwaited } = id;
  const status = await statusNow(form, text, services);
  const answer =
    isAwaited && status !== 'open' && (status || services.now() > until)
      ? await readAnswer({ form: form.id, id: text, state: sharedState(form), services })
      : undefined;
  if (answer) return { ...answer, state: 'answered' };
  if (status === 'used') return { id: text, state: isAwaited ? 'pending' : 'answered' };
  const known = status && ends[status];
  return { id: text, state: known ?? (services.now() > until ? 'expired' : 'open') };
}

/** A form with `ask` has one. */
const sharedState = ({ provided }: Form) => provided.get('shared_state') as SharedState;

const mostWaitSeconds = 20;
const pauseMs = 1_000;
/** Requests that wait count as requests under way (SUBMISSION_LIMIT). Further ones are answered at once. */
const mostWaiting = 200;
let waiting = 0;

/** The state once the ask has ended, or the time is up. */
async function wait(id: AskId, forMs: number, context: AskContext) {
  const { services, signal } = context;
  const until = services.now() + (waiting < mostWaiting ? forMs : 0);
  waiting += 1;
  try {
    for (;;) {
      const report = await stateOf(id, context);
      const leftMs = until - services.now();
      if (!['open', 'pending'].includes(report.state) || leftMs <= 0 || signal?.aborted) return report;
      await services.sleep(Math.min(pauseMs, leftMs));
    }
  } finally {
    waiting -= 1;
  }
}

/** Cancels an ask, or reminds its person. */
async function act(id: AskId, json: string, context: AskContext): Promise<Outcome> {
  const { form, services } = context;
  const asked = read(action, json);
  if ('kind' in asked) return asked as Outcome;
  if (asked.action === 'cancel') await cancelLink(form, id.text, id.until, services);
  else if (asked.action !== 'remind') return malformed('action: expected cancel or remind');
  const report = await stateOf(id, context);
  const over = (reason: string): Outcome => ({ ...refused(409, 'ask_over', { reason }), json: report });
  if (asked.action === 'cancel')
    return report.state === 'cancelled' ? said(200, report) : over(`it is ${report.state}`);
  if (report.state !== 'open') return over(`it is ${report.state}`);
  return remind(id, asked.url ?? '', context, over);
}

/** Mails the link again, once. The asker sends it, since the relay did not store it. */
async function remind(
  { text: id, until }: AskId,
  url: string,
  context: AskContext,
  over: (reason: string) => Outcome,
): Promise<Outcome> {
  const { form, services, settings } = context;
  const query = parseQuery(parseUrl(url)?.search.slice(1) ?? '');
  const link = openLink(settings.formTokenSecret, form.id, firstValue(query ?? new Map(), linkField));
  const [own, , , to] = link?.purpose?.data ?? [];
  if (!link || own !== id) return malformed('url: expected the url of this ask');
  if (!to) return malformed('url: the ask has no to.email');
  const by = services.uuid();
  const state = sharedState(form);
  const key = `ask reminded ${id}`;
  const entry = await state.change({ services }, key, (before) => before ?? { text: by, until });
  if (entry?.text !== by) return over('its person was reminded before');
  const failure = await mail('reminder', { link, url }, context);
  if (failure === undefined) return said(200, { id, state: 'open', reminded: true });
  await state.change({ services }, key, () => undefined);
  services.log('error', 'ask_unsent', { form: form.id, reason: failure });
  return refused(503, 'ask_unsent');
}
