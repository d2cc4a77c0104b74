import type { Field } from '../fields/field.ts';
import type { Form, FormOutput, Spam } from '../form.ts';
import { say } from '../messages/message.ts';
import { planPayload } from '../outputs/payload.ts';
import { secondsToMs } from '../schema/duration.ts';
import type { ParsedForm } from './schema.ts';

/** A form as the relay uses it, with all that follows from its keys worked out once. */
export function buildForm(id: string, parsed: ParsedForm): Form {
  const { fields, captcha, confirmation, title, submit_label: submitLabel, redirect } = parsed;
  const declared = fields.map(({ name }) => name);
  const outputs = parsed.outputs.map((output) =>
    Object.assign(output, { plan: planPayload(output, declared) }),
  );
  const spam = parsed.spam && buildSpam(parsed.spam);
  const checkNames = new Set(
    [spam?.honeypot, spam?.minFill?.tokenField, captcha?.tokenField].filter((name) => name !== undefined),
  );
  const usedNames = namesUsedBy(fields, outputs);
  for (const name of checkNames) usedNames.delete(name);
  return {
    id,
    language: 'en',
    say,
    fields,
    outputs,
    spam,
    captcha,
    confirmation,
    title,
    submitLabel,
    redirect,
    usedNames,
    checkNames,
  };
}

const buildSpam = (spam: NonNullable<ParsedForm['spam']>): Spam => ({
  honeypot: spam.honeypot,
  minFill: spam.min_fill_seconds
    ? {
        minFillMs: secondsToMs(spam.min_fill_seconds),
        ttlMs: spam.form_ttl,
        tokenField: spam.token_field,
      }
    : undefined,
});

const namesUsedBy = (fields: readonly Field[], outputs: readonly FormOutput[]): Set<string> =>
  new Set([
    ...fields.map(({ name }) => name),
    ...outputs.flatMap(({ plan }) => plan.flatMap(({ fieldName }) => fieldName ?? [])),
    ...outputs.flatMap(({ templates }) => templates.flatMap(({ template }) => [...template.fieldNames])),
  ]);
