import type { Field, FieldProblem } from '../fields/field.ts';
import { type PatternBudget, patternBudget } from '../fields/pattern.ts';
import { visibleFields } from '../fields/visible_when.ts';
import type { Form } from '../form.ts';
import type { FieldError, Outcome } from '../outcome.ts';
import type { Submission } from '../submission.ts';
import { isTooLong, type Values, withoutEmpty } from '../values.ts';
import type { CheckContext } from './check.ts';

/**
 * Required, length, type (SPEC: Field). Gives the values that the outputs may have: of fields that are declared and
 * there, and of undeclared ones that a mapping or a template names (D4). What belongs to a check is not among them.
 */
export function validate(submission: Submission, { form, effects }: CheckContext): Values | Outcome {
  const fields = visibleFields(form.fields, submission.values);
  const values = usedValues(submission.values, form, fields);
  const errors: FieldError[] = [];
  const budget = patternBudget(effects.now);
  let slow: string | undefined;
  for (const field of fields) {
    const problem = problemOf(field, values.get(field.name) ?? [], budget);
    if (problem) errors.push({ field: field.name, ...problem });
    if (budget.isSpent) slow ??= field.name;
  }
  if (slow !== undefined) {
    effects.log('warn', 'pattern_too_slow', { request_id: submission.requestId, form: form.id, field: slow });
  }
  for (const [name, sent] of values) {
    if (sent.some(isTooLong) && !fields.some((field) => field.name === name)) {
      errors.push({ field: name, code: 'too_many_bytes' });
    }
  }
  return errors.length > 0 ? { kind: 'invalid', errors } : values;
}

function usedValues(sent: Values, form: Form, visible: readonly Field[]): Values {
  const used = new Map<string, readonly string[]>();
  for (const [name, values] of sent) {
    if (form.usedNames.has(name)) used.set(name, values);
  }
  if (visible === form.fields) return used;
  for (const field of form.fields) {
    if (!visible.includes(field)) used.delete(field.name);
  }
  return used;
}

function problemOf(field: Field, sent: readonly string[], budget: PatternBudget): FieldProblem | undefined {
  const filled = withoutEmpty(sent);
  if (filled.length === 0) return field.required ? field.missing : undefined;
  const tooLong = filled.findIndex(isTooLong);
  return tooLong < 0 ? field.check(filled, budget) : { code: 'too_many_bytes', at: tooLong };
}
