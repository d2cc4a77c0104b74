import { holds } from '@form-relay/base/condition';
import { fileInWords, noValues, type Values, withNamesOfFiles } from '@form-relay/base/values';
import { normalized } from '@form-relay/core/fields/field';
import type { Form } from '@form-relay/core/form';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { FormOutput } from '@form-relay/core/outputs/output';
import { parserFor } from '@form-relay/core/pipeline/compose';
import type { Payload, Submission } from '@form-relay/core/submission';
import { pdfName } from '@form-relay/more-outputs/archive_layout';
import { inWords, visibleFields } from '@form-relay/schema/condition';
import '@form-relay/queue/keep';
import '@form-relay/spam/page/index';
import { type MailKey, withheldWords } from '@form-relay/visitor-mails/mail';
import type { RecordedDelivery, Recording } from './printing.ts';
import type { CheckReport, MailReport, OutputReport, SubmissionReport } from './report.ts';
import type { Secrets } from './secrets.ts';

type Answered = NonNullable<Recording['answered']>;

/** Writes the report of an answered submission. */
export async function reportOf(
  request: RelayRequest,
  { answered, deliveries, logged }: Recording & { readonly answered: Answered },
  secrets: Secrets,
  notes: readonly string[],
): Promise<SubmissionReport> {
  const { requestId, formId, outcome, answer, submission } = answered;
  const form = submission?.form;
  const isConfirmed = /\/confirm\/[^/]+$/.test(request.path);
  const values = submission ? await valuesOf(submission, isConfirmed) : [];
  const outputs = submission ? outputReports(submission, deliveries, secrets) : [];
  const keep = form?.provided.get('keep');
  return {
    id: requestId,
    form: formId ?? decodeURIComponent(request.path.split('/').at(-1) ?? ''),
    receivedAt: submission?.receivedAt ?? 0,
    outcome: outcome.kind,
    says: (isConfirmed ? 'the address is confirmed; ' : '') + wordsOf(answered, outputs),
    answer: {
      status: answer.status,
      contentType: answer.headers['content-type'] ?? '',
      body: answer.body,
    },
    ...(isConfirmed && { isConfirmed }),
    values,
    ...(form?.provided.get('page') && {
      page: { url: submission?.page?.url ?? '', title: submission?.page?.title ?? '' },
    }),
    ignored: form ? values.map(([name]) => name).filter((name) => !isKnown(form, name)) : [],
    checks:
      submission && !isConfirmed && outcome.kind !== 'bad_request' ? checksOf(submission, answered) : [],
    outputs,
    mails: submission ? mailReports(submission, deliveries, logged) : [],
    ...(keep && {
      keep: { what: keep.what, in: keep.where.in.name, forMs: keep.where.forMs },
    }),
    notes,
  };
}

const isKnown = ({ usedNames, reservedNames, fields }: Form, name: string): boolean =>
  usedNames.has(name) || reservedNames.has(name) || fields.some((field) => name === field.name);

/** All values that were sent, even under unknown names. */
async function valuesOf({ form, request, values, sent, sentFiles }: Submission, isConfirmed: boolean) {
  if (isConfirmed) return [...values];
  // The relay has not read the body.
  if (sent === noValues) return [];
  const { headers, body } = request;
  const type = headers['content-type'] ?? '';
  const parsed = body && (await parserFor(type, form.bodies)?.parse(body, type));
  const all = new Map(parsed && 'values' in parsed ? parsed.values : sent);
  for (const [name, files] of sentFiles)
    all.set(name, [...(all.get(name) ?? []), ...files.map((file) => fileInWords(file))]);
  return [...all];
}

/** Checks that owners look for, with the keys that turn them on. */
const usualChecks: Readonly<Record<string, string>> = {
  honeypot: 'spam.honeypot',
  min_fill: 'spam.min_fill_seconds',
  captcha: 'captcha',
  proof: 'spam.proof_of_work',
  doubt: 'spam.doubt',
};

/** Features that decide nothing themselves, so other checks report instead. */
const helpers = new Set(['form_token', 'too_fast']);

/** The last step of each feature, followed by features that were not reached or are off. */
function checksOf(submission: Submission, { outcome }: Answered): readonly CheckReport[] {
  const { form, trace } = submission;
  const checks = new Map<string, CheckReport>();
  for (const { feature, result, notes, details } of trace?.steps ?? []) {
    const known = checks.get(feature);
    const isEnd = result === 'ended';
    const found = feature === 'validation' ? validationWords(submission, outcome, isEnd) : notes;
    const own = isEnd && found.length === 0 && outcome.why !== undefined ? [outcome.why] : found;
    // The feature passed the submission in an earlier step.
    const before = known?.says && !(isEnd && own.length > 0) ? [known.says] : [];
    const says = [...before, ...own].join('; ');
    const all =
      isEnd && outcome.kind === 'dropped' ? `${says}. The sender sees the usual confirmation` : says;
    checks.set(feature, {
      ...known,
      ...details,
      check: feature,
      verdict: isEnd && outcome.kind !== 'replayed' ? 'ended' : 'passed',
      says: all,
    });
  }
  const { steps } = form;
  const last = steps.findLastIndex((check) => checks.has(check));
  const off = (check: string, says: string): CheckReport => ({ check, verdict: 'off', says });
  return [
    ...[...checks.values()].filter(
      ({ check, verdict, says }) => says !== '' || (verdict === 'ended' && steps.includes(check)),
    ),
    ...steps.flatMap((check, nth): CheckReport | [] => {
      if (checks.has(check) || helpers.has(check)) return [];
      return nth < last
        ? off(check, 'servers with a key skip this check')
        : { check, verdict: 'not_reached', says: '' };
    }),
    ...Object.entries(usualChecks).flatMap(([check, key]) =>
      steps.includes(check) ? [] : off(check, `the form has no ${key}`),
    ),
  ];
}

function errorsInWords(form: Form, { errors = [] }: Answered['outcome']): string {
  const { translate } = form.locale(undefined);
  return errors.map((error) => `${error.field}: ${translate(error)}`).join(' ');
}

function validationWords(
  { form, sent, sentFiles }: Submission,
  outcome: Answered['outcome'],
  isEnd: boolean,
): readonly string[] {
  if (isEnd) return [errorsInWords(form, outcome)];
  const visible = visibleFields(form.fields, withNamesOfFiles(normalized(sent, form, sentFiles), sentFiles));
  const hidden = form.fields.filter((field) => !visible.includes(field)).map(({ name }) => name);
  const { length } = visible;
  return [
    length === 1 ? '1 field is valid' : `${length} fields are valid`,
    ...(hidden.length > 0 ? [`left out, since visible_when does not hold: ${hidden.join(', ')}`] : []),
  ];
}

function outputReports(
  submission: Submission,
  deliveries: ReadonlyMap<string, RecordedDelivery>,
  secrets: Secrets,
): readonly OutputReport[] {
  const { form } = submission;
  const keep = form.provided.get('keep');
  return form.outputs.flatMap((output, index): OutputReport | [] => {
    const result = submission.deliveries[index];
    const recorded = deliveries.get(`${submission.requestId}-${index}`);
    if (!result) return [];
    const pdf = recorded?.pdf && fileInWords(recorded.pdf);
    const { type, on_error: onError, transport } = output;
    const about = {
      index,
      type,
      target: transport?.target ?? '',
      onError,
      payload: withPdf(recorded?.payload ?? [], pdf).map(
        ([key, values]) => [key, values.map((value) => secrets.value(key, value))] as const,
      ),
      warnings: recorded?.warnings ?? [],
      sent: recorded?.sent ?? [],
    };
    if (result.outcome === 'skipped')
      return { ...about, result: 'skipped', reason: whySkipped(output, submission.values) };
    const { reason } = result;
    const isKept = reason === undefined ? keep?.what === 'always' : keep !== undefined;
    const kept = isKept ? ({ isKept } as const) : {};
    return reason === undefined
      ? { ...about, result: 'delivered', ...kept }
      : { ...about, result: isKept ? 'kept' : 'failed', reason, ...kept };
  });
}

/** Adds the PDF, except to a custom body, which has no names. */
const withPdf = (payload: Payload, pdf: string | undefined): Payload =>
  pdf !== undefined && payload.length > 0 ? [...payload, [pdfName, [pdf]]] : payload;

const mailKeys: readonly string[] = [
  'confirmation_mail',
  'double_opt_in',
  'verification_mail',
  'registered_mail',
] satisfies readonly MailKey[];

/** Mails that were sent, failed or withheld, according to the log. */
function mailReports(
  { logFields = {}, requestId, trace }: Submission,
  deliveries: ReadonlyMap<string, RecordedDelivery>,
  logged: Recording['logged'],
): readonly MailReport[] {
  const mails = [...deliveries].filter(([id, { isToVisitor }]) => isToVisitor && id.startsWith(requestId));
  const targetOf = (key: string) => trace?.mailTargets.get(key) ?? '';
  const ended = logged.flatMap(({ event, fields }): MailReport | [] => {
    const [, key = '', how] = /^(\w+?)_(sent|failed)$/.exec(event) ?? [];
    if (!mailKeys.includes(key)) return [];
    const [, recorded] = mails.shift() ?? [];
    const about = { key, target: targetOf(key), sent: recorded?.sent ?? [] };
    return how === 'sent'
      ? { ...about, result: 'sent' }
      : { ...about, result: 'failed', reason: String(fields.reason) };
  });
  const withheld = mailKeys.flatMap((key): MailReport | [] => {
    const why = logFields[key];
    const [, reason] = Object.entries(withheldWords).find(([code]) => code === why) ?? [];
    return reason === undefined ? [] : { key, target: targetOf(key), sent: [], result: 'withheld', reason };
  });
  return [...ended, ...withheld];
}

/** The text after the outcome's name. */
function wordsOf({ outcome, submission }: Answered, outputs: readonly OutputReport[]): string {
  const { kind, by, why, message } = outcome;
  const said = message && submission?.form.locale(undefined).translate(message);
  switch (kind) {
    case 'delivered':
      return deliveredWords(outputs);
    case 'undelivered': {
      if (why !== undefined) return why;
      if (outputs.length === 0) return 'the mail with the confirmation link was not sent';
      const failed = outputs.filter(({ result, onError }) => result === 'failed' && onError === 'fail');
      return failed.length === 0
        ? 'no output applies: no condition is true; remove when from one output, or add an output for the rest'
        : `${failed.map(({ index, type }) => `outputs[${index}] (${type})`).join(', ')} did not accept the submission`;
    }
    case 'held':
      return 'delivery waits until the link in the mail is clicked';
    case 'bad_request':
      return said ?? why ?? '';
    case 'invalid':
      return submission?.trace?.steps.some(
        (step) => step.feature === 'validation' && step.result === 'passed',
      )
        ? errorsInWords(submission.form, outcome)
        : (why ?? '');
    case 'dropped':
      return `by ${by}: ${why ?? ''}`;
    case 'unknown_form':
      return 'the config has no such form';
    case 'no_config':
      return 'the config has not loaded';
    default:
      return why ?? said ?? '';
  }
}

const results = ['failed', 'skipped', 'kept', 'delivered'] as const;

function deliveredWords(outputs: readonly OutputReport[]): string {
  const [failed = 0, skipped = 0, kept = 0, delivered = 0] = results.map(
    (wanted) => outputs.filter(({ result }) => result === wanted).length,
  );
  const all = `of ${outputs.length} ${outputs.length === 1 ? 'output' : 'outputs'}`;
  const left = [
    delivered === 0 && kept > 0 ? `for ${kept} ${all}` : `to ${delivered} ${all}`,
    ...(delivered > 0 && kept > 0 ? [`${kept} queued`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ');
  return failed === 0 ? left : `${left}; the other outputs fail, and have on_error: continue`;
}

/** Why an output does not get a submission, in words for the owner. */
export function whySkipped({ condition }: FormOutput, values: Values): string {
  const valuesOf = (name: string) => values.get(name) ?? [''];
  if (!condition || holds(condition, valuesOf))
    return 'skipped because of `aside`: other outputs receive this submission';
  const isNone = 'field' in condition && condition.test === 'is_not';
  const held = isNone ? condition.values.filter((value) => valuesOf(condition.field).includes(value)) : [];
  return inWords({ not: isNone ? { ...condition, values: held } : condition });
}
