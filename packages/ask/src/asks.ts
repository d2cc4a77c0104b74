/** `/api/v1/ask/{form}`: makes an ask, and reports its progress to the asker. */

import { parseSubmittedAddress } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { fromJson } from '@form-relay/base/json';
import { momentWords } from '@form-relay/base/time_zone';
import { formSegments, mostLinkCharacters, parseUrl } from '@form-relay/base/url';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue } from '@form-relay/base/values';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import type { Form, Outcome, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import type { Settings } from '@form-relay/core/settings';
import { noTokenSecret, refused } from '@form-relay/core/submission';
import { renderMail } from '@form-relay/more-outputs/html_mail';
import { linkedRuns } from '@form-relay/more-outputs/templates';
import { pageAddress, withQuery } from '@form-relay/pages/printed_form';
import { array, object } from '@form-relay/schema/collections';
import { Diagnostics, Report } from '@form-relay/schema/diagnostics';
import { duration, httpUrl, text } from '@form-relay/schema/scalars';
import { isMap, optional, required, type Schema } from '@form-relay/schema/schema';
import { valuesFor } from '@form-relay/senders/links/link_values';
import { type Link, linkField, openLink, sealLink } from '@form-relay/senders/links/sealed_link';
import { cancelLink, statusNow } from '@form-relay/senders/links/single_use';
import type { SharedState } from '@form-relay/stores/store';
import { ownMailCarrier } from '@form-relay/visitor-mails/own_mail';
import { type Answer, isAnswered, readAnswer, rememberedMs } from './answers.ts';
import { type AskContext, type AskId, longestMs, newId, readId } from './ask.ts';
import { hostOf, hostsOf } from './asker.ts';

/** Responds to a server that has a key of the form. */
export async function answerTo(submission: Submission, body: string, context: AskContext): Promise<Outcome> {
  const { method, path, query } = submission.request;
  const { form, settings } = context;
  // The name of a client's form has two path segments.
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
    return said(200, await waitFor(id, seconds * 1_000, context));
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
  locked: optional('', array(text())),
  expires: optional('', duration({ hasDays: true, leastMs: 60_000, mostMs: longestMs })),
  answer_to: optional('', httpUrl()),
  reference: optional('', text()),
});

const action = object({ action: required('', text()), url: optional('', text()) });

/** The parsed body, or what is wrong with it. Numbers may be written as text, as in a config. */
function read<T>(schema: Schema<T>, json: string): T | Outcome {
  let written: unknown;
  try {
    written = JSON.parse(json, (_, one) => (typeof one === 'number' ? String(one) : (one ?? undefined)));
  } catch {
    return malformed('expected JSON');
  }
  const report = new Report(written);
  const value = schema(written, new Diagnostics([], report));
  const reasons = report.errors.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  return value === undefined || reasons.length > 0 ? malformed(reasons.join('; ')) : value;
}

const mostReference = 200;

/** An ask that has not been made yet. */
export interface PreparedAsk {
  readonly id: string;
  readonly url: string;
  readonly expires: string;
  /** A preview for the person who decides: the text and its recipient. */
  readonly says: string;
  /** Mails the link if the ask has an address. Resolves with the error, if any. */
  send(): Promise<string | undefined>;
}

/** Makes the link. A repeated attempt makes the same ask. */
export function prepareAsk(
  json: string,
  { requestId, receivedAt }: Pick<Submission, 'requestId' | 'receivedAt'>,
  context: AskContext,
): PreparedAsk | Outcome {
  const { asking, form, settings } = context;
  const { formTokenSecret: secret, publicUrl } = settings;
  const base = asking.page?.href ?? (publicUrl === undefined ? undefined : pageAddress(publicUrl, form));
  if (secret === '' || base === undefined)
    return { ...noTokenSecret, why: 'FORM_TOKEN_SECRET or PUBLIC_URL is not set' };
  const asked = read(body, json);
  if ('kind' in asked) return asked as Outcome;
  const { to, values = {}, locked = [], answer_to: address, reference = '' } = asked;
  const mailbox = to && parseSubmittedAddress(to.email.trim());
  if (to && !mailbox) return malformed('to.email: expected one address such as ada@example.org');
  const hosts = hostsOf(form);
  if (address && !hostOf(hosts, address))
    return malformed(
      hosts
        ? `answer_to: ${address.host} is not among \`hosts\` of the output of type asker`
        : 'answer_to: the form has no output of type asker',
    );
  if (reference.length > mostReference)
    return malformed(`reference: expected at most ${mostReference} characters`);
  const filled = valuesIn(values, locked, form, settings);
  if ('kind' in filled) return filled as Outcome;
  const until = Math.floor((receivedAt + (asked.expires ?? asking.expires)) / 1_000) * 1_000;
  const isAwaited = address === undefined && hosts !== undefined;
  const id = newId(secret, form.id, { until, isAwaited }, requestId);
  const data = [id, address?.href ?? '', reference, to?.email.trim() ?? ''];
  const link: Link = { until, values: filled, locked, singleUse: id, purpose: { feature: 'ask', data } };
  const url = withQuery(base, `${linkField}=${sealLink(secret, form.id, link, id)}`);
  if (url.length > mostLinkCharacters)
    return malformed(
      `the link would be ${url.length} characters long, and mail programs cut links after ${mostLinkCharacters}; fill in fewer or shorter values`,
    );
  const expires = new Date(until).toISOString();
  const named = reference && ` with the reference ${reference}`;
  const goes = address
    ? `goes to ${address.href}`
    : isAwaited
      ? 'is stored for you'
      : 'goes only to the outputs';
  const says = [
    `${form.locale(undefined).text(asking.name)} asks ${to?.email.trim() ?? 'anyone who gets the link'} for ${form.id}, until ${expires}`,
    ...[...filled].map(
      ([name, all]) => `  ${name}: ${all.join(', ')}${locked.includes(name) ? ' (locked)' : ''}`,
    ),
    `The answer ${goes}${named}. ${mailbox ? 'The relay mails the link.' : 'Pass the link on yourself.'}`,
  ].join('\n');
  return { id, url, expires, says, send: async () => mailbox && mailLink('ask', { link, url }, context) };
}

async function ask(json: string, submission: Submission, context: AskContext): Promise<Outcome> {
  const prepared = prepareAsk(json, submission, context);
  if ('kind' in prepared) return prepared;
  const { send, says: _, ...told } = prepared;
  const reason = await send();
  if (reason !== undefined) {
    submission.log('error', 'ask_unsent', { reason });
    return { ...refused(503, 'ask_unsent'), kind: 'undelivered' };
  }
  submission.log('info', 'asked');
  return said(201, told);
}

/** The values in a link as the form accepts them, or why it rejects them. */
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

const ended = ['answered', 'cancelled', 'expired'];

/** The progress of an ask. `pending`: it was answered, but the answer waits for a click or is being delivered. */
async function stateOf(
  { text: id, until, isAwaited }: AskId,
  { form, services }: AskContext,
): Promise<Partial<Answer> & { readonly state: string }> {
  const waiting = { form: form.id, id, state: sharedState(form), services };
  const status = await statusNow(form, id, services);
  if (status === 'used' || (await isAnswered(waiting))) {
    if (!isAwaited) return { id, state: 'answered' };
    const answer = await readAnswer(waiting);
    return answer ? { ...answer, state: 'answered' } : { id, state: 'pending' };
  }
  if (status === 'cancelled') return { id, state: status };
  if (status && status !== 'open') return { id, state: 'pending' };
  return { id, state: services.now() > until ? 'expired' : 'open' };
}

/** Every form with `ask` has shared state. */
const sharedState = ({ provided }: Form) => provided.get('shared_state') as SharedState;

const mostWaitSeconds = 20;
const pauseMs = 1_000;
/** Waiting requests count as requests in progress (SUBMISSION_LIMIT). Beyond this number, requests get a response at once. */
const mostWaiting = 200;
let waiting = 0;

/** The ask's state once it has ended or the time is up. */
export async function waitFor(id: AskId, forMs: number, context: AskContext) {
  const { services, signal } = context;
  const until = services.now() + (waiting < mostWaiting ? forMs : 0);
  waiting += 1;
  try {
    for (;;) {
      const report = await stateOf(id, context);
      const leftMs = until - services.now();
      if (ended.includes(report.state) || leftMs <= 0 || signal?.aborted) return report;
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
  if (asked.action === 'cancel') await cancelLink(form, id.text, id.until + rememberedMs, services);
  else if (asked.action !== 'remind') return malformed('action: expected cancel or remind');
  const report = await stateOf(id, context);
  const over = (reason: string): Outcome => ({ ...refused(409, 'ask_over', { reason }), json: report });
  if (asked.action === 'cancel')
    return report.state === 'cancelled' ? said(200, report) : over(`the request is ${report.state}`);
  if (report.state !== 'open') return over(`the request is ${report.state}`);
  return remind(id, asked.url ?? '', context, over);
}

/** Mails the link once more. The asker sends the link along, since the relay has not stored it. */
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
  if (!link || own !== id) return malformed('url: expected the url of this request');
  if (!to) return malformed('url: the request has no to.email');
  const by = services.uuid();
  const state = sharedState(form);
  const key = `ask reminded ${id}`;
  const entry = await state.change({ services }, key, (before) => before ?? { text: by, until });
  if (entry?.text !== by) return over('this person was already reminded');
  const failure = await mailLink('reminder', { link, url }, context);
  if (failure === undefined) return said(200, { id, state: 'open', reminded: true });
  await state.change({ services }, key, () => undefined);
  services.log('error', 'ask_unsent', { form: form.id, reason: failure });
  return refused(503, 'ask_unsent');
}

/** Resolves with the reason, in words, if the mail was not sent. */
export async function mailLink(
  kind: 'ask' | 'reminder',
  { link, url }: { readonly link: Link; readonly url: string },
  { asking, form, services, settings }: AskContext,
): Promise<string | undefined> {
  const [id, , , to = ''] = link.purpose?.data ?? [];
  const carrier = ownMailCarrier(form, services, settings);
  if (!carrier) return 'the form has no mail output';
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
