import { doubtNames } from '../base/doubt.ts';
import type { Listener, Observer } from '../base/event.ts';
import { noFiles } from '../base/files.ts';
import type { RelayResponse } from '../base/http.ts';
import type { Outcome } from '../base/outcome.ts';
import { pageContextOf } from '../base/page_context.ts';
import type { Refusal } from '../base/refusal.ts';
import { err, type Result } from '../base/result.ts';
import { after, type Soon } from '../base/soon.ts';
import type { Checked } from '../base/submission.ts';
import type { Values } from '../base/values.ts';
import { parseBody } from '../bodies/parse_body.ts';
import type { Lists, Sent } from '../bodies/sent.ts';
import { type Form, type Gates, isKnownTo } from '../form.ts';
import type { AnswerContext } from '../pages/answer_context.ts';
import { audienceOf, endsOnPage } from '../pages/negotiation.ts';
import { respond } from '../pages/respond.ts';
import { forAnswer } from '../pages/visitors_language.ts';
import { clientOf } from './client.ts';
import type { Delivered } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { findForm } from './find_form.ts';
import { keepFor } from './keep_owed.ts';
import type { GatesPassed } from './pass_gates.ts';
import { submit, takeBack } from './submit.ts';

/** What a submission may take from its arrival to its answer: 25 s, less what reading and answering take (D15). */
export const submissionBudgetMs = 24_000;

/** State that the steps of a submission share. */
interface Arrival {
  readonly receivedAt: number;
  readonly tell: Listener;
  readonly exchange: Exchange;
}

/** SPEC: POST /api/v1/submit/{form}. Waits only where the config, a gate, the body, a check or an output does. */
export function postSubmission(formId: string | undefined, exchange: Exchange): Soon<RelayResponse> {
  const receivedAt = exchange.effects.now();
  const finding = formId === '' ? nameMissing : findForm(formId, exchange.config);
  return after(finding, (found) => {
    const form = found.ok ? found.value : undefined;
    const { requestId, trace } = exchange;
    const about = { requestId, formId: form?.id, asked: formId ?? '', receivedAt, trace };
    const arrival = { receivedAt, tell: listen(exchange.observers, about), exchange };
    return after(found.ok ? acceptAt(found.value, arrival) : { ending: found.error }, (accepted) =>
      after(accepted.ending, (outcome) => answerTo(outcome, form, accepted, arrival)),
    );
  });
}

/** Most forms have no gates. */
const acceptAt = (form: Form, arrival: Arrival): Soon<Accepted> =>
  form.gates ? acceptBehind(form, form.gates, arrival) : accept(form, arrival);

async function acceptBehind(form: Form, gates: Gates, arrival: Arrival): Promise<Accepted> {
  passGates ??= (await import('./pass_gates.ts')).passGates;
  const passed = await passGates(form, gates, arrival.tell, arrival.exchange);
  const accepted = passed.ending ? { ending: passed.ending } : await accept(form, arrival, passed);
  return { ...accepted, passed };
}

function answerTo(
  outcome: Outcome,
  form: Form | undefined,
  { sent, sentFiles, sentLists, taken, passed }: Accepted,
  { receivedAt, tell, exchange }: Arrival,
): Soon<RelayResponse> {
  // A submission that costs somebody else something counts, whatever becomes of it (D109).
  if (passed && !passed.hasAsked()) takeBack(outcome, passed.undo);
  const context = exchange.context(form, sent, sentFiles, sentLists);
  const complete = form?.receipt
    ? receiptOf(outcome, form, { receivedAt, sent, taken: taken?.() }, exchange).then((receipt) =>
        reloadable({ ...context, receipt }),
      )
    : reloadable(context);
  return after(complete, (ready) => {
    const answer = respond(outcome, ready);
    tell({ kind: 'answered', outcome, answer, ms: exchange.effects.now() - receivedAt });
    return answer;
  });
}

/** Most forms give none. */
export const receiptOf = async (
  outcome: Outcome,
  form: Form,
  about: Parameters<typeof import('./receipts.ts').receiptFor>[3],
  { settings }: Pick<Exchange, 'settings'>,
): Promise<string | undefined> => (await import('./receipts.ts')).receiptFor(outcome, form, settings, about);

/** For a browser that ends on a page of the relay's own: a success sends it on to one that is safe to reload (D170). */
export function reloadable(context: AnswerContext): Soon<AnswerContext> {
  const { request, form, settings } = context;
  return settings.formTokenSecret !== '' && audienceOf(request, form) === 'page'
    ? import('../pages/sent_page.ts').then(({ sentAddress }) => ({ ...context, sentAddress }))
    : context;
}

let passGates: typeof import('./pass_gates.ts').passGates | undefined;

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
  /** What a form that is shown again may need of the body. */
  readonly sent?: Values;
  readonly sentFiles?: ReadonlySet<string> | undefined;
  readonly sentLists?: Lists | undefined;
  readonly ending: Soon<Outcome>;
  /** What outputs had of it, once it was delivered, in forms that give a receipt. */
  readonly taken?: (() => Checked | undefined) | undefined;
  /** Present if the form has gates. */
  readonly passed?: GatesPassed;
}

const accept = (form: Form, arrival: Arrival, passed?: GatesPassed): Soon<Accepted> =>
  after(parseBody(arrival.exchange.request, form), (body) => start(body, form, arrival, passed));

function start(
  body: Result<Sent, Refusal>,
  form: Form,
  { receivedAt, tell, exchange }: Arrival,
  passed: GatesPassed | undefined,
): Accepted {
  const { request, requestId, settings, effects, transports } = exchange;
  if (!body.ok) return { ending: { kind: 'bad_request', refusal: body.error } };
  const { values: sent, files, lists: sentLists } = body.value;
  const page = form.page ? pageContextOf(sent, request.headers, settings.allowedOrigins) : undefined;
  tell({ kind: 'received', values: sent, files, page });
  const values = knownTo(form, sent);
  const { timeLeftMs = Infinity, senderAddress } = request;
  const deadline = receivedAt + Math.min(submissionBudgetMs, timeLeftMs - 1_000);
  const submission = {
    values,
    files,
    page,
    receivedAt,
    deadline,
    senderAddress,
    client: form.doubt || form.proof ? clientOf(request, settings) : undefined,
    headers: request.headers,
    mustProve: passed?.mustProve ?? false,
    endsOnPage: endsOnPage(request, form),
    requestId,
  };
  let taken: Checked | undefined;
  const onDelivered =
    form.confirmationMail || form.receipt
      ? async (checked: Checked, outcome: Delivered) => {
          if (form.receipt) taken = checked;
          // It goes on after the answer, when the memory of files is given back (D92).
          if (form.confirmationMail)
            await mailConfirmation(form, { ...checked, files: noFiles }, outcome, tell, exchange);
        }
      : undefined;
  // Most relays have no form that holds anything back.
  const hold =
    form.doubleOptIn &&
    (async (checked: Checked) => (await import('./hold.ts')).hold(form, checked, tell, exchange));
  const street = {
    form,
    settings,
    effects: passed?.effects ?? effects,
    memory: exchange.memory,
    transports,
    tell,
    trace: exchange.trace,
    onDelivered,
    hold,
    keep: keepFor(form, tell, exchange),
  };
  return {
    sent: values,
    sentFiles: files.size > 0 ? new Set(files.keys()) : undefined,
    sentLists,
    ending: submit(submission, street),
    taken: form.receipt ? () => taken : undefined,
  };
}

/** Its visitor learns by mail that it was delivered, in their language. Nobody waits for it, and its failure is not theirs. */
export async function mailConfirmation(
  form: Form,
  submission: Checked,
  { byNobody }: Delivered,
  tell: Listener,
  exchange: Exchange,
): Promise<void> {
  const { request, mailer } = exchange;
  const reader = forAnswer(form, request);
  if (!reader.confirmationMail) return;
  if (byNobody) return tell({ kind: 'mail_withheld', mail: 'confirmation_mail', reason: 'taken_by_nobody' });
  try {
    const { prepare } = await mailer();
    const prepared = await prepare({
      key: 'confirmation_mail',
      id: `${submission.requestId}-confirmation`,
      mail: reader.confirmationMail,
      form: reader,
      submission,
      until: request.livesOn ? Infinity : submission.deadline,
      tell,
    });
    if (prepared.ok) await exchange.afterwards(async () => void (await prepared.value()));
  } catch (error) {
    // What was delivered stays delivered, whatever bug comes after it.
    tell({ kind: 'broken', error });
  }
}

/** Only the relay says what is doubted. */
const isMark = (name: string) => name === doubtNames.tag || name === doubtNames.aside;

/** Without names that nobody asked for: a body may hold thousands, and outputs may take their time. */
function knownTo(form: Form, values: Values): Values {
  const isKnown = (name: string) => isKnownTo(form, name) && !(form.doubt && isMark(name));
  let unknown = 0;
  for (const name of values.keys()) if (!isKnown(name)) unknown += 1;
  if (unknown === 0) return values;
  const known = new Map<string, readonly string[]>();
  for (const [name, sent] of values) {
    if (isKnown(name)) known.set(name, sent);
  }
  return known;
}
