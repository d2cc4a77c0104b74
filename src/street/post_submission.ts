import type { AnswerContext } from '../answers/answer_context.ts';
import { audienceOf, endsOnPage } from '../answers/negotiation.ts';
import { respond } from '../answers/respond.ts';
import { forAnswer } from '../answers/visitors_language.ts';
import { parseBody } from '../bodies/parse_body.ts';
import type { Lists, Sent } from '../bodies/sent.ts';
import { doubtNames } from '../doubt.ts';
import type { Listener, Observer } from '../event.ts';
import { noFiles } from '../files.ts';
import { type Form, isKnownTo } from '../form.ts';
import type { RelayResponse } from '../http.ts';
import type { Outcome } from '../outcome.ts';
import { pageContextOf } from '../page_context.ts';
import type { Refusal } from '../refusal.ts';
import { err, type Result } from '../result.ts';
import type { Checked } from '../submission.ts';
import type { Values } from '../values.ts';
import { clientOf } from './client.ts';
import type { Delivered } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { findForm } from './find_form.ts';
import { keepFor } from './keep_owed.ts';
import type { GatesPassed } from './pass_gates.ts';
import { submit, takeBack } from './submit.ts';

/** What a submission may take from its arrival to its answer: 25 s, less what reading and answering take (D15). */
export const submissionBudgetMs = 24_000;

/** SPEC: POST /api/v1/submit/{form}. */
export async function postSubmission(formId: string | undefined, exchange: Exchange): Promise<RelayResponse> {
  const { effects, config, requestId, trace } = exchange;
  const receivedAt = effects.now();
  const found = formId === '' ? nameMissing : await findForm(formId, config);
  const form = found.ok ? found.value : undefined;
  const tell = listen(exchange.observers, {
    requestId,
    formId: form?.id,
    asked: formId ?? '',
    receivedAt,
    trace,
  });
  // Most forms have no gates.
  if (form?.gates) passGates ??= (await import('./pass_gates.ts')).passGates;
  const gates = form?.gates && (await passGates?.(form, form.gates, tell, exchange));
  const refused = found.ok ? gates?.ending : found.error;
  const accepting =
    form && !refused ? accept(form, receivedAt, tell, exchange, gates) : { ending: refused as Outcome };
  // Waiting where there is nothing to wait for takes 2 % of a submission.
  const { sent, sentFiles, sentLists, ending, taken } =
    accepting instanceof Promise ? await accepting : accepting;
  const outcome = await ending;
  // A submission that costs somebody else something counts, whatever becomes of it (D109).
  if (gates && !gates.hasAsked()) takeBack(outcome, gates.undo);
  let context = exchange.context(form, sent, sentFiles, sentLists);
  if (form?.receipt) {
    const about = { receivedAt, sent, taken: taken?.() };
    context = { ...context, receipt: await receiptOf(outcome, form, about, exchange) };
  }
  const ready = reloadable(context);
  const answer = respond(outcome, ready instanceof Promise ? await ready : ready);
  tell({ kind: 'answered', outcome, answer, ms: effects.now() - receivedAt });
  return answer;
}

/** Most forms give none. */
export const receiptOf = async (
  outcome: Outcome,
  form: Form,
  about: Parameters<typeof import('./receipts.ts').receiptFor>[3],
  { settings }: Pick<Exchange, 'settings'>,
): Promise<string | undefined> => (await import('./receipts.ts')).receiptFor(outcome, form, settings, about);

/** For a browser that ends on a page of the relay's own: a success sends it on to one that is safe to reload (D170). */
export function reloadable(context: AnswerContext): AnswerContext | Promise<AnswerContext> {
  const { request, form, settings } = context;
  return settings.formTokenSecret !== '' && audienceOf(request, form) === 'page'
    ? import('../answers/sent_page.ts').then(({ sentAddress }) => ({ ...context, sentAddress }))
    : context;
}

let passGates: typeof import('./pass_gates.ts').passGates | undefined;

const nameMissing: Result<Form, Outcome> = err({
  kind: 'bad_request',
  refusal: { code: 'form_name_missing' },
});

/** All observers as one. */
export function listen(observers: readonly Observer[], submission: Parameters<Observer>[0]): Listener {
  const listeners = observers.map((observe) => observe(submission));
  return (event) => {
    for (const listener of listeners) listener(event);
  };
}

interface Accepted {
  /** What a form that is shown again may need of the body. */
  readonly sent?: Values;
  readonly sentFiles?: ReadonlySet<string>;
  readonly sentLists?: Lists | undefined;
  readonly ending: Outcome | Promise<Outcome>;
  /** What outputs had of it, once it was delivered, in forms that give a receipt. */
  readonly taken?: (() => Checked | undefined) | undefined;
}

function accept(
  form: Form,
  receivedAt: number,
  tell: Listener,
  exchange: Exchange,
  gates: GatesPassed | undefined,
): Accepted | Promise<Accepted> {
  const body = parseBody(exchange.request, form);
  return body instanceof Promise
    ? body.then((parsed) => start(parsed, form, receivedAt, tell, exchange, gates))
    : start(body, form, receivedAt, tell, exchange, gates);
}

function start(
  body: Result<Sent, Refusal>,
  form: Form,
  receivedAt: number,
  tell: Listener,
  exchange: Exchange,
  gates: GatesPassed | undefined,
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
    mustProve: gates?.mustProve ?? false,
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
    effects: gates?.effects ?? effects,
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
    ...(files.size > 0 && { sentFiles: new Set(files.keys()) }),
    sentLists,
    ending: submit(submission, street),
    ...(form.receipt && { taken: () => taken }),
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
  const { request, mailer, afterwards } = exchange;
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
    if (prepared.ok) await afterwards(async () => void (await prepared.value()));
  } catch (error) {
    // What was delivered stays delivered, whatever bug comes after it.
    tell({ kind: 'broken', error });
  }
}

/** Only the relay says what is doubted. */
const isMark = (name: string) => name === doubtNames.tag || name === doubtNames.aside;

/** Without names that nobody asked for: a body may hold thousands, and outputs may take their time. */
function knownTo(form: Form, values: Values): Values {
  const known = new Map<string, readonly string[]>();
  for (const [name, sent] of values) {
    if (isKnownTo(form, name) && !(form.doubt && isMark(name))) known.set(name, sent);
  }
  return known;
}
