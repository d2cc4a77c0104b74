import type { Classes } from '../fields/classes.ts';
import type { Field } from '../fields/field.ts';
import type { Form, FormOutput, Spam } from '../form.ts';
import { say } from '../messages/message.ts';
import { planPayload } from '../outputs/payload.ts';
import { secondsToMs } from '../schema/duration.ts';
import type { ParsedConfig, ParsedForm } from './schema.ts';

/** What stands at the top of the config for all forms. */
export type Shared = Pick<ParsedConfig, 'classes'>;

/** A form as the relay uses it, with all that follows from its keys worked out once. */
export function buildForm(id: string, parsed: ParsedForm, shared: Shared): Form {
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
    classes: mergeClasses(shared.classes, parsed.classes),
    redirect,
    usedNames,
    checkNames,
  };
}

/** The form's own win, also where they are empty: then that part has none. */
function mergeClasses(shared: Classes | undefined, own: Classes | undefined): Classes | undefined {
  if (!shared && !own) return undefined;
  const named = Object.entries({ ...shared, ...own }).filter(([, names]) => names);
  return named.length > 0 ? Object.fromEntries(named) : undefined;
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
