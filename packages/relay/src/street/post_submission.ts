import type { Effects } from '../base/effects.ts';
import type { Listener, Observer } from '../base/event.ts';
import type { RelayResponse } from '../base/http.ts';
import type { Outcome, Refusal } from '../base/outcome.ts';
import { err, type Result } from '../base/result.ts';
import { after, type Soon } from '../base/soon.ts';
import type { Checked } from '../base/submission.ts';
import { mostHops } from '../base/trace.ts';
import type { Values } from '../base/values.ts';
import { parseBody } from '../bodies/parse_body.ts';
import type { Lists, Sent } from '../bodies/sent.ts';
import {
  type AnswerContext,
  type Arrival,
  type ClaimedOnce,
  type Form,
  type HeadStage,
  isKnownTo,
} from '../form.ts';
import { audienceOf, endsOnPage } from '../pages/negotiation.ts';
import { respond } from '../pages/respond.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { drawingsAsFiles } from './drawings.ts';
import type { Exchange } from './exchange.ts';
import { findForm } from './find_form.ts';
import { asServersSendIt, type FromServer, fromServer } from './from_server.ts';
import { shownNow } from './shown_now.ts';
import { submit, takeBack } from './submit.ts';

/** Time from arrival to answer: 25 s, less the time to read and answer. */
export const submissionBudgetMs = 24_000;

/** State that the steps of a submission share. */
interface Received {
  readonly receivedAt: number;
  readonly tell: Listener;
  readonly exchange: Exchange;
}

/** SPEC: POST /api/v1/submit/{form}. Waits only where the config, a gate, the body, a check or an output does. */
export function postSubmission(formId: string | undefined, exchange: Exchange): Soon<RelayResponse> {
  const receivedAt = exchange.effects.now();
  const finding = formId === '' ? nameMissing : findForm(formId, exchange.config);
  return after(finding, (found) => {
    const { request, requestId, trace } = exchange;
    const declared = found.ok ? found.value : undefined;
    const sender = fromServer(declared, request);
    const form = declared && sender ? asServersSendIt(declared, sender.servers) : declared;
    if (sender) exchange.isFromServer = true;
    const about = { requestId, formId: form?.id, asked: formId ?? '', receivedAt, trace };
    const arrival: Received = { receivedAt, tell: listen(exchange.observers, about), exchange };
    const accepting = !found.ok
      ? { ending: found.error }
      : trace.hops >= mostHops
        ? { ending: looped }
        : form && sender
          ? acceptFromServer(form, sender, arrival)
          : acceptAt(found.value, arrival);
    return after(accepting, (accepted) =>
      after(accepted.ending, (outcome) => {
        const answering = answerTo(outcome, form, accepted, arrival);
        const { claimed } = accepted;
        return claimed ? after(answering, (answer) => claimed.conclude(outcome, answer)) : answering;
      }),
    );
  });
}

/** Its key comes before the body, and its `Idempotency-Key` is claimed after that. */
async function acceptFromServer(
  form: Form,
  { servers, key }: FromServer,
  received: Received,
): Promise<Accepted> {
  const { exchange, tell } = received;
  const { settings, effects, memory, requestId, request } = exchange;
  const arrival = { form, world: exchange, settings, effects, memory, requestId, tell };
  const admitted = await servers.admit(key, arrival);
  if (!admitted.ok) return { ending: admitted.error };
  const body = await parseBody(request, form);
  if (!body.ok) return start(body, form, received, undefined);
  const claimed = await admitted.value(body.value);
  if (!claimed.ok) return { ending: claimed.error };
  return { ...start(body, form, received, undefined, claimed.value), claimed: claimed.value };
}

const acceptAt = (form: Form, arrival: Received): Soon<Accepted> =>
  form.stages.head.length > 0 ? acceptBehind(form, arrival) : accept(form, arrival);

/** The result of the stages before the body. */
interface HeadPassed {
  readonly ending?: Outcome;
  readonly mustProve: boolean;
  readonly undo: readonly (() => void)[];
  /** The outside world for the stages that follow, which notes whether somebody was asked. */
  readonly effects: Effects;
  readonly hasAsked: () => boolean;
}

async function acceptBehind(form: Form, received: Received): Promise<Accepted> {
  const { exchange, tell } = received;
  const { settings, effects, memory } = exchange;
  const passed = await passHead(form.stages.head, { form, world: exchange, settings, effects, memory }, tell);
  const accepted = passed.ending ? { ending: passed.ending } : await accept(form, received, passed);
  return { ...accepted, passed };
}

/** Looks at a submission before anything that was typed is read. */
async function passHead(stages: readonly HeadStage[], arrival: Arrival, tell: Listener): Promise<HeadPassed> {
  const asked = noteAsking(arrival.effects);
  const undo: (() => void)[] = [];
  let mustProve = false;
  for (const stage of stages) {
    const found = await stage(arrival);
    const { evidence, ending } = found;
    if (evidence) tell({ kind: 'checked', passed: ending === undefined, evidence });
    if (found.undo) undo.push(found.undo);
    mustProve ||= found.mustProve === true;
    if (ending) return { ...asked, ending, mustProve, undo };
  }
  return { ...asked, mustProve, undo };
}

function answerTo(
  outcome: Outcome,
  form: Form | undefined,
  accepted: Accepted,
  received: Received,
): Soon<RelayResponse> {
  const { sent, sentFiles, sentLists, passed } = accepted;
  const { exchange } = received;
  // A submission that costs somebody else something counts, whatever becomes of it.
  if (passed && !passed.hasAsked()) takeBack(outcome, passed.undo);
  const asIs = exchange.context(form, sent, sentFiles, sentLists);
  return isShownAgain(outcome, asIs)
    ? showAgain(asIs, outcome, accepted, received)
    : answerIn(asIs, outcome, form, accepted, received);
}

function answerIn(
  context: AnswerContext,
  outcome: Outcome,
  form: Form | undefined,
  { sent, taken }: Accepted,
  received: Received,
): Soon<RelayResponse> {
  const { receivedAt, exchange } = received;
  const complete = form?.stages.receipt
    ? form.stages
        .receipt(outcome, form, { receivedAt, sent, taken: taken?.() }, exchange.settings)
        .then((receipt) => exchange.reloadable({ ...context, receipt }))
    : exchange.reloadable(context);
  return complete instanceof Promise
    ? complete.then((ready) => respondTold(outcome, ready, received))
    : respondTold(outcome, complete, received);
}

/** Whether the form comes back, and may look different by now. */
function isShownAgain({ kind }: Outcome, { form, request }: AnswerContext): boolean {
  if (!form || form.answers.shows.length === 0) return false;
  if (kind !== 'invalid' && kind !== 'challenged' && kind !== 'expired') return false;
  const audience = audienceOf(request, form);
  return audience === 'page' || audience === 'htmx';
}

/** Where it cannot be sent any more, it comes back as it is, so that what was typed stays. */
async function showAgain(
  context: AnswerContext,
  outcome: Outcome,
  accepted: Accepted,
  received: Received,
): Promise<RelayResponse> {
  const { form, now } = context;
  const shown = form && (await shownNow(form, now, received.exchange.effects)).form;
  return answerIn({ ...context, form: shown }, outcome, form, accepted, received);
}

function respondTold(outcome: Outcome, context: AnswerContext, received: Received): Soon<RelayResponse> {
  const answer = respond(outcome, context);
  return answer instanceof Promise
    ? answer.then((ready) => tellAnswer(outcome, ready, received))
    : tellAnswer(outcome, answer, received);
}

function tellAnswer(outcome: Outcome, answer: RelayResponse, { tell, exchange, receivedAt }: Received) {
  tell({ kind: 'answered', outcome, answer, ms: exchange.effects.now() - receivedAt });
  return answer;
}

const looped: Outcome = { kind: 'bad_request', refusal: { code: 'looped' } };

const nameMissing: Result<Form, Outcome> = err({
  kind: 'bad_request',
  refusal: { code: 'form_name_missing' },
});

/** All observers as one: in most relays, the log alone. */
export function listen(observers: readonly Observer[], submission: Parameters<Observer>[0]): Listener {
  const [first] = observers;
  if (first && observers.length === 1) return first(submission);
  const listeners = observers.map((observe) => observe(submission));
  return (event) => {
    for (const listener of listeners) listener(event);
  };
}

interface Accepted {
  /** Values of the body that a form needs to be shown again. */
  readonly sent?: Values;
  readonly sentFiles?: ReadonlySet<string> | undefined;
  readonly sentLists?: Lists | undefined;
  readonly ending: Soon<Outcome>;
  /** The part that outputs received, for forms with `receipt`. */
  readonly taken?: (() => Checked | undefined) | undefined;
  /** The claim of a server that retries until it has an answer. */
  readonly claimed?: ClaimedOnce | undefined;
  /** Present if the form has stages before the body. */
  readonly passed?: HeadPassed;
}

const accept = (form: Form, arrival: Received, passed?: HeadPassed): Soon<Accepted> =>
  after(parseBody(arrival.exchange.request, form), (body) => start(body, form, arrival, passed));

function start(
  body: Result<Sent, Refusal>,
  form: Form,
  { receivedAt: arrivedAt, tell, exchange }: Received,
  passed: HeadPassed | undefined,
  claimed?: ClaimedOnce,
): Accepted {
  const { request, settings, effects } = exchange;
  const { requestId, receivedAt } = claimed ?? { requestId: exchange.requestId, receivedAt: arrivedAt };
  if (!body.ok) return { ending: { kind: 'bad_request', refusal: body.error } };
  const { values: sent, files, lists: sentLists } = body.value;
  const arrived = drawingsAsFiles(body.value, form);
  const page = form.stages.read?.(sent, request, settings);
  tell({ kind: 'received', values: arrived.values, files: arrived.files, page });
  if (files.size > 0) tellUnknownFiles(files, form, tell);
  const values = understood(sent, form, settings, receivedAt);
  const { timeLeftMs = Infinity, senderAddress } = request;
  const deadline = arrivedAt + Math.min(submissionBudgetMs, timeLeftMs - 1_000);
  const submission = {
    values: arrived.values === sent ? values : understood(arrived.values, form, settings, receivedAt),
    files: arrived.files,
    page,
    receivedAt,
    deadline,
    senderAddress,
    headers: request.headers,
    endsOnPage: endsOnPage(request, form),
    requestId,
    hops: exchange.trace.hops,
  };
  let taken: Checked | undefined;
  const givesReceipt = form.stages.receipt !== undefined;
  const ending = submit(submission, {
    form,
    world: exchange,
    effects: passed?.effects ?? effects,
    transports: exchange.transports,
    tell,
    keep: form.stages.owed?.(form, tell, exchange),
    trace: exchange.trace,
    mustProve: passed?.mustProve ?? false,
    onTaken: givesReceipt
      ? (checked) => {
          taken = checked;
        }
      : undefined,
  });
  return {
    sent: values,
    sentFiles: files.size > 0 ? new Set(files.keys()) : undefined,
    sentLists,
    ending,
    taken: givesReceipt ? () => taken : undefined,
  };
}

/** Frameworks call a field `cv[]`, say: its owner must be able to learn why a file never came. */
function tellUnknownFiles(files: Sent['files'], form: Form, tell: Listener): void {
  const unknown = [...files].filter(([name]) => !isKnownTo(form, name));
  if (unknown.length === 0) return;
  const sizes = unknown.map(([name, sent]) => ({
    name,
    bytes: sent.reduce((sum, { bytes }) => sum + bytes.length, 0),
  }));
  tell({ kind: 'files_unknown', files: sizes });
}

/** The values that the form knows, with those that a link fixes. */
function understood(sent: Values, form: Form, settings: Settings, now: number): Values {
  const known = knownTo(form, sent);
  return form.stages.fixed?.(known, form, { settings, now }) ?? known;
}

/** Without names that nobody asked for: a body may hold thousands, and outputs may take their time. */
function knownTo(form: Form, values: Values): Values {
  const isKnown = (name: string) => isKnownTo(form, name) && !form.ownNames?.has(name);
  let unknown = 0;
  for (const name of values.keys()) if (!isKnown(name)) unknown += 1;
  if (unknown === 0) return values;
  const known = new Map<string, readonly string[]>();
  for (const [name, sent] of values) {
    if (isKnown(name)) known.set(name, sent);
  }
  return known;
}

/** The outside world, noting whether a service was asked about a submission. */
interface Asked {
  readonly effects: Effects;
  readonly hasAsked: () => boolean;
}

/** Checks ask captcha providers, services and virus scanners through these three. */
function noteAsking(effects: Effects): Asked {
  let hasAsked = false;
  const noted =
    <Q extends readonly unknown[], A>(ask: (...question: Q) => A) =>
    (...question: Q): A => {
      hasAsked = true;
      return ask(...question);
    };
  return {
    effects: {
      ...effects,
      http: noted(effects.http),
      scanFile: noted(effects.scanFile),
    },
    hasAsked: () => hasAsked,
  };
}
