import type { PatternVerdict } from '../base/effects.ts';
import type { CheckEvidence } from '../base/event.ts';
import { type Files, fileInWords, noFiles, type SentFile, type UploadedFile } from '../base/files.ts';
import type { FieldError, Outcome } from '../base/outcome.ts';
import { err, type Result } from '../base/result.ts';
import type { Submission } from '../base/submission.ts';
import { isTooLong, type Values, withoutEmpty } from '../base/values.ts';
import { askedOf, drawingOf, type Field, type Match, stepsOnLoop, visibleFields } from '../fields/field.ts';
import { hasMeaning, withMeaning } from '../fields/meaning.ts';
import type { Form, Found, Passage, Stage } from '../form.ts';
import { isNeeded, type MailedField, takesMail } from '../outputs/mailed_fields.ts';

type ValidationContext = Pick<Passage, 'form' | 'effects'>;

/** `receivedAt`: needed if outputs are to get the values. */
type Validated = Pick<Submission, 'values' | 'files'> & Partial<Pick<Submission, 'receivedAt'>>;

/** A value that the event loop cannot match against its pattern in time. */
interface Undecided {
  readonly pattern: string;
  readonly value: string;
  /** The error if it does not match. */
  readonly mismatch: FieldError;
}

/**
 * Required, length, type (SPEC: Field). Gives the values that the outputs may have: of fields that are declared and
 * there, and of undeclared ones that a mapping or a template names; no check's own values are among them.
 */
export const validate: Stage = (passage) => validated(passage.submission, passage);

/** The same for some fields alone, given what was sent for all. */
export async function checkFields(
  names: ReadonlySet<string>,
  sent: Pick<Submission, 'values' | 'files'>,
  context: ValidationContext,
): Promise<Outcome | undefined> {
  const { ending } = await validated(sent, context, names);
  return ending;
}

/** Reads no more of the submission than what was sent. */
export function validated(
  { values: texts, files, receivedAt = 0 }: Validated,
  context: ValidationContext,
  only?: ReadonlySet<string>,
): Found | Promise<Found> {
  const { form } = context;
  const typed = form.inputs.some(hasMeaning) ? withMeaning(texts, form.inputs) : texts;
  const sent = files.size > 0 ? withNamesOfFiles(typed, files, form) : typed;
  const fields = visibleFields(form.fields, sent);
  const values = usedValues(sent, form, fields);
  const undecided: Undecided[] = [];
  const steps = stepsOnLoop();
  const match: Match = (pattern, value, mismatch) => {
    const matches = pattern.test(value, steps);
    if (matches === undefined) undecided.push({ pattern: pattern.source, value, mismatch });
    return matches;
  };
  const errors: FieldError[] = [];
  let taken: Map<string, readonly UploadedFile[]> | undefined;
  let namesOfFiles: Set<string> | undefined;
  let stored: Map<string, readonly string[]> | undefined;
  let unresolved: readonly string[] | undefined;
  for (const field of askedOf(fields, values)) {
    if (only && !only.has(field.name)) continue;
    if (field.parts) {
      const problem = field.parts.problem?.(sent);
      if (problem) errors.push({ field: field.name, ...problem });
      continue;
    }
    const sentFiles = files.get(field.name);
    if (sentFiles) namesOfFiles ??= new Set();
    const result = sentFiles && namesOfFiles && filesTaken(field, sentFiles, namesOfFiles);
    if (result?.ok) {
      taken ??= new Map();
      taken.set(field.name, result.value);
    }
    const typed = values.get(field.name) ?? [];
    const error = result
      ? !result.ok && result.error
      : (errorOf(field, typed, match, files) ??
        (form.mailed && mailError(form.mailed, field, typed, values)));
    if (field.computes && typed[0] === '') unresolved = [...(unresolved ?? []), field.name];
    if (error) errors.push(error);
    else if (field.stored && typed.length > 0) {
      stored ??= new Map(values);
      stored.set(field.name, storedOf(field.stored, typed, receivedAt));
    }
  }
  if (!only && form.usedNames.size > form.inputs.length)
    errors.push(...tooLongElsewhere(values, form), ...mailErrorsElsewhere(values, form));
  if (errors.length === 0) stored = withParts(stored ?? values, fields, form) ?? stored;
  const hidden = fields === form.fields ? [] : form.fields.filter((field) => !fields.includes(field));
  const valid: Found = {
    accepted: {
      values: taken ? withFilesInWords(stored ?? values, taken) : (stored ?? values),
      files: taken ?? noFiles,
    },
    evidence: {
      check: 'validation',
      code: 'valid',
      fields: fields.length,
      hidden: hidden.map(({ name }) => name),
      unresolved,
    },
  };
  if (undecided.length > 0) return decide(undecided, errors, valid, context);
  return errors.length > 0 ? invalid(errors) : valid;
}

/** Outside the loop above: a closure there would cost each submission a context for each field. */
const storedOf = (
  stored: NonNullable<Field['stored']>,
  typed: readonly string[],
  receivedAt: number,
): readonly string[] => typed.map((value) => (value === '' ? value : stored(value, receivedAt)));

/** Errors of values that are no field's, but a mapping or a template names them. */
const tooLongElsewhere = (values: Values, { inputs }: Form): readonly FieldError[] =>
  [...values]
    .filter(([name, sent]) => sent.some(isTooLong) && !inputs.some((field) => field.name === name))
    .map(([name]) => ({ field: name, code: 'too_many_bytes' }));

/** Tells at the field what no mail can go to: the delivery would fail for good, or lose the address for replies. */
function mailError(
  mailed: readonly MailedField[],
  { name, missing }: Pick<Field, 'name'> & Partial<Field>,
  sent: readonly string[],
  values: Values,
): FieldError | undefined {
  // A loop, since each submission comes by here for each field.
  for (const one of mailed) {
    if (one.name !== name) continue;
    // White space leaves a mail without Reply-To, as nothing does.
    const filled = withoutEmpty(one.isRecipient ? sent : sent.map((value) => value.trim()));
    if (takesMail(one, filled) || !isNeeded(one, values)) continue;
    if (filled.length > 0) return { field: name, code: 'no_mail_address' };
    if (missing) return { field: name, ...missing };
  }
  return undefined;
}

/** The same for values that are no field's. */
function mailErrorsElsewhere(values: Values, { inputs, mailed = [] }: Form): readonly FieldError[] {
  const names = new Set(mailed.map(({ name }) => name));
  for (const { name } of inputs) names.delete(name);
  return [...names].flatMap((name) => mailError(mailed, { name }, values.get(name) ?? [], values) ?? []);
}

const invalid = (errors: readonly FieldError[], slow?: string): Found => ({
  evidence: { check: 'validation', code: 'invalid', errors, slow },
  ending: { kind: 'invalid', errors },
});

/** As if each file were its name: conditions ask whether a field is filled. */
function withNamesOfFiles(texts: Values, files: Files<SentFile>, { fields }: Form): Values {
  const names = fields.flatMap(({ name, takeFiles }) => {
    const sent = takeFiles && files.get(name);
    return sent ? [[name, sent.map((file) => file.name || '?')] as const] : [];
  });
  return new Map([...texts, ...names]);
}

/** Outputs that carry no files name them in words. */
function withFilesInWords(values: Values, files: Files): Values {
  const words = [...files].map(([name, taken]) => [name, taken.map(fileInWords)] as const);
  return new Map([...values, ...words]);
}

/** Rejects a file in a field that takes text: no output would deliver it. */
const filesTaken = (
  { name, takeFiles }: Field,
  sent: readonly SentFile[],
  names: Set<string>,
): Result<readonly UploadedFile[], FieldError> =>
  takeFiles ? takeFiles(sent, names) : err({ field: name, code: 'file_not_expected' });

function usedValues(sent: Values, form: Form, visible: readonly Field[]): Values {
  const used = new Map<string, readonly string[]>();
  for (const [name, values] of sent) {
    if (form.usedNames.has(name)) used.set(name, values);
  }
  if (visible === form.fields) return used;
  for (const field of form.fields) {
    if (!visible.includes(field)) for (const { name } of field.parts?.all ?? [field]) used.delete(name);
  }
  return used;
}

/** With one value for all parts of a field; `undefined` where no field has parts. */
function withParts(
  values: Values,
  fields: readonly Field[],
  { namedParts }: Form,
): Map<string, readonly string[]> | undefined {
  if (!fields.some(({ parts }) => parts)) return undefined;
  const gathered = new Map(values);
  for (const { name, parts } of fields) {
    if (!parts) continue;
    const value = parts.gather(values);
    for (const part of parts.all) if (!value || !namedParts?.has(part.name)) gathered.delete(part.name);
    for (const sent of values.keys()) if (parts.isBeyond?.(sent)) gathered.delete(sent);
    if (value) gathered.set(name, [JSON.stringify(value)]);
  }
  return gathered;
}

function errorOf(
  field: Field,
  sent: readonly string[],
  match: Match,
  files: Files<SentFile>,
): FieldError | undefined {
  const filled = withoutEmpty(sent);
  if (filled.length === 0) {
    // What keeps a result from being known is an error of another field. A drawing says nothing to those who cannot see it.
    const isOwed = field.required
      ? !(field.computes && sent.length === 0)
      : field.drawing && files.has(drawingOf(field.name));
    return isOwed ? { field: field.name, ...field.missing } : undefined;
  }
  const tooLong = filled.findIndex(isTooLong);
  return tooLong < 0
    ? field.check(filled, match)
    : { field: field.name, code: 'too_many_bytes', at: tooLong };
}

/**
 * Asks the thread about the undecided values. A value that takes too long is most likely wrong, and its visitor
 * can write another: it counts as no match. Values that there was no time for may be right: unless something else is
 * wrong with the submission, its sender is asked to send it again.
 */
async function decide(
  undecided: readonly Undecided[],
  errors: readonly FieldError[],
  valid: Found,
  { form, effects }: ValidationContext,
): Promise<Found> {
  const verdicts = await effects.matchPatterns(form.id, undecided);
  const having = (verdict: PatternVerdict) =>
    undecided.filter((_, index) => verdicts[index] === verdict).map(({ mismatch }) => mismatch);
  const tooSlow = having('too_slow');
  const all = firstOfEach([...errors, ...having('no_match'), ...tooSlow], form);
  if (all.length > 0) return invalid(all, tooSlow[0]?.field);
  const untried = firstOfEach(having('not_tried'), form).map(({ field }) => field);
  if (untried.length === 0) return valid;
  return {
    evidence: { check: 'validation', code: 'undecided', fields: untried },
    ending: { kind: 'busy' },
  };
}

/** The first error of each field, in the order of the fields. */
function firstOfEach(errors: readonly FieldError[], { inputs }: Form): readonly FieldError[] {
  const names = [...inputs, ...errors.map(({ field: name }) => ({ name }))].map(({ name }) => name);
  return [...new Set(names)].flatMap((name) => errors.find(({ field }) => field === name) ?? []);
}

type ValidationEvidence = Extract<CheckEvidence, { check: 'validation' }>;

/** Why a computed field is sent empty. */
export const noResultWords = 'left out, since it divides by zero or is too large';

/** Puts the evidence of validation into words. The log names the fields alone. */
export function explainValidation(evidence: ValidationEvidence): string {
  if (evidence.code === 'invalid') return evidence.errors.map(({ field }) => field).join(', ');
  if (evidence.code === 'undecided')
    return `there was no time to match the pattern of ${evidence.fields.join(', ')}`;
  const { fields, hidden, unresolved } = evidence;
  return [
    `${fields} ${fields === 1 ? 'field is' : 'fields are'} valid`,
    ...(hidden.length > 0 ? [`left out, since visible_when does not hold: ${hidden.join(', ')}`] : []),
    ...(unresolved ? [`${noResultWords}: ${unresolved.join(', ')}`] : []),
  ].join('; ');
}
