import { jsonPointer } from '@form-relay/base/json';
import type { Files, SentFile, UploadedFile, Values } from '@form-relay/base/values';
import { fileInWords, isTooLong, noValues, withNamesOfFiles, withoutEmpty } from '@form-relay/base/values';
import { demandedFields, visibleFields } from '@form-relay/schema/condition';
import { type Field, normalized, type TakenFiles } from '../fields/field.ts';
import type { Form } from '../form.ts';
import type { SentLists } from '../plugin.ts';
import type { FieldError, Outcome, Submission } from '../submission.ts';

/**
 * Required, length, type (SPEC: Field). Returns an outcome that ends the submission, or sets the values that
 * outputs may have: declared and visible fields, and undeclared ones that a mapping or a template names.
 *
 * @param only The names of the fields to check, given the values of all. Default: all.
 */
export function validate(
  submission: Submission,
  form = submission.form,
  only?: ReadonlySet<string>,
): Outcome | undefined {
  const { fields: all, inputs, usedNames } = form;
  const { sentFiles } = submission;
  const sent = form.normalizes ? normalized(submission.sent, form, sentFiles) : submission.sent;
  const answered = form.hasConditions ? withNamesOfFiles(sent, sentFiles) : sent;
  const fields = form.hasConditions ? visibleFields(all, answered) : all;
  const demanded = form.hasConditions ? demandedFields(all, answered) : none;
  const values = new Map<string, readonly string[]>();
  // A loop would allocate an array for each of them.
  sent.forEach((texts, name) => {
    if (usedNames.has(name)) values.set(name, texts);
  });
  if (fields !== all)
    for (const field of all)
      if (!fields.includes(field)) for (const { name } of field.inputs?.all ?? [field]) values.delete(name);
  const errors: FieldError[] = [];
  const files = sentFiles.size > 0 ? takeFiles(fields, sentFiles) : undefined;
  // The arrays of a form are frozen, and V8 makes an object for each step of an iterator over a frozen array.
  for (let index = 0; index < fields.length; index += 1) {
    const declared = fields[index] as Field;
    if (only && !only.has(declared.name)) continue;
    const field = demanded.has(declared.name) ? declared.withKeys({ required: true }) : declared;
    if (!field.inputs) addError(errors, field, values, files, submission);
    else {
      for (const input of field.inputs.validated(values)) addError(errors, input, values, files, submission);
      const problem = field.inputs.problem?.(sent);
      if (problem) errors.push({ field: field.name, ...problem });
    }
    if (errors.at(-1)?.field === field.name) continue;
    for (const check of form.fieldChecks) {
      const problem = check(declared, values, fields, submission);
      if (problem) errors.push({ field: field.name, ...problem });
    }
  }
  if (!only && usedNames.size > inputs.length)
    for (const [name, texts] of values)
      if (texts.some(isTooLong) && !inputs.some((field) => field.name === name))
        errors.push({ field: name, code: 'too_many_bytes' });
  const found =
    form.checkingOutputs.length > 0 ? withAddressErrors(errors, values, submission, fields, form) : errors;
  const reported = only ? found.filter(({ field }) => isAmong(field, only)) : found;
  const { sentLists } = submission;
  if (reported.length > 0) return invalid(sentLists ? withPointers(reported, sentLists, form) : reported);
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] as Field;
    if (field.store) store(field, values, submission);
    if (!only && field.derive && values.get(field.name)?.includes(''))
      submission.log('warn', 'result_left_out', { field: field.name });
    if (field.inputs) gather(field, values, form, submission);
  }
  if (files) {
    // Outputs that cannot send a file send its name instead.
    for (const [name, taken] of files.taken) values.set(name, taken.map(fileInWords));
    submission.files = files.taken;
  }
  submission.values = values;
  return undefined;
}

/** An error of an input is one of its field. */
const isAmong = (name: string, only: ReadonlySet<string>): boolean =>
  only.has(name) || [...only].some((field) => name.startsWith(`${field}.`));

function addError(
  errors: FieldError[],
  input: Field,
  values: Values,
  files: ReturnType<typeof takeFiles> | undefined,
  submission: Submission,
): void {
  const { name } = input;
  if (files?.taken.has(name)) return;
  const filled = withoutEmpty(values.get(name) ?? []);
  const tooLong = filled.findIndex(isTooLong);
  let error = files?.errors.get(name);
  if (error) return void errors.push(error);
  if (filled.length === 0) error = input.required ? { field: name, ...input.missing } : undefined;
  else if (tooLong >= 0) error = { field: name, code: 'too_many_bytes', at: tooLong };
  else error = input.check(filled, submission);
  if (error) errors.push(error);
}

const none: ReadonlySet<string> = new Set();

/** Adds the errors of fields whose addresses outputs could not mail to, in the order of the fields. */
function withAddressErrors(
  errors: readonly FieldError[],
  values: Values,
  submission: Submission,
  visible: readonly Field[],
  { inputs, fields, checkingOutputs }: Form,
): readonly FieldError[] {
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  const isHidden = (name: string) => fields.some((field) => field.name === name && !visible.includes(field));
  const found: FieldError[] = [];
  // An output's `accepts` may depend on the values.
  submission.values = values;
  for (const { accepts, transport } of checkingOutputs) {
    const error = accepts && !accepts(submission) ? undefined : transport?.check?.(values);
    const isNew = error && !isWrong(error.field) && !isHidden(error.field);
    if (isNew && !found.some(({ field }) => field === error.field)) found.push(error);
  }
  if (errors.length + found.length > 0) submission.values = noValues;
  if (found.length === 0) return errors;
  const placeOf = ({ field }: FieldError) => {
    const place = inputs.findIndex(({ name }) => name === field);
    return place < 0 ? inputs.length : place;
  };
  return [...errors, ...found].sort((one, other) => placeOf(one) - placeOf(other));
}

type ValidValues = Map<string, readonly string[]>;

function store({ name, store: change }: Field, values: ValidValues, submission: Submission): void {
  const typed = change && values.get(name);
  if (typed)
    values.set(
      name,
      typed.map((value) => (value === '' ? value : change(value, submission))),
    );
}

function gather(
  { name, inputs }: Field,
  values: ValidValues,
  { outputNames }: Form,
  submission: Submission,
): void {
  if (!inputs) return;
  for (const input of inputs.validated(values)) if (input.store) store(input, values, submission);
  const value = inputs.gather(values);
  for (const input of inputs.all) if (!value || !outputNames.has(input.name)) values.delete(input.name);
  if (value) values.set(name, [JSON.stringify(value)]);
}

function takeFiles(fields: readonly Field[], sent: Files<SentFile>) {
  const taken = new Map<string, readonly UploadedFile[]>();
  const errors = new Map<string, FieldError>();
  const names = new Set<string>();
  for (const { name, takeFiles } of fields) {
    const own = sent.get(name);
    if (!own) continue;
    const found: TakenFiles = takeFiles?.(own, names) ?? { error: { code: 'file_not_expected' } };
    if ('files' in found) taken.set(name, found.files);
    else errors.set(name, { field: name, ...found.error, at: found.at });
  }
  return { taken: taken as Files, errors };
}

/** In a JSON list, errors give the item's index as sent, which differs from the index after empty items are removed. */
const withPointers = (
  errors: readonly FieldError[],
  lists: SentLists,
  { inputs }: Form,
): readonly FieldError[] =>
  errors.map((error) => {
    const { field, at } = error;
    const place = at === undefined ? undefined : lists.get(field)?.[at];
    const input = inputs.find(({ name }) => name === field);
    const steps = [...(input?.path ?? [field]), ...(place === undefined ? [] : [place])];
    return { ...error, pointer: jsonPointer(...steps) };
  });

export const invalid = (errors: readonly FieldError[]): Outcome => ({
  kind: 'invalid',
  status: 422,
  message: { code: 'invalid' },
  errors,
  by: 'validation',
  why: errors.map(({ field }) => field).join(', '),
});
