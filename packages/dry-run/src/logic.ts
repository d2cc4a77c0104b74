/** Applies a form's conditions to values, without a submission. */
import { withDerived } from '@form-relay/core/fields/derived';
import { confirmationOf } from '@form-relay/core/http/answers';
import type { Form, Locale, Outcome, Values } from '@form-relay/core/index';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { readSettings } from '@form-relay/core/settings';
import { redirectOf } from '@form-relay/pages/negotiation';
import { demandedFields, holdsFor, visibleFields } from '@form-relay/schema/condition';
import { sampleValues } from './samples.ts';

export interface Consequences {
  /** The names of visible fields, and the indexes of visible notes. */
  readonly shown: readonly string[];
  /** The visible fields that are required. */
  readonly required: readonly string[];
  /** For each output, whether it gets the submission. */
  readonly outputs: readonly boolean[];
  /** The index of the entry of `thanks` that applies; -1 if none does. */
  readonly thanks: number;
  readonly confirmation: string;
  /** Where the visitor is redirected instead. */
  readonly redirect?: string;
  /** The fields with options, and those that accept several. */
  readonly offered: Readonly<Record<string, readonly string[]>>;
  readonly several: readonly string[];
  /** Fields for which a condition can only test whether they are filled in. */
  readonly parts: readonly string[];
}

/** @param given The values of fields. Values of hidden fields do not count. */
export function consequencesOf(form: Form, given: Values, locale: Locale, now: number): Consequences {
  const { fields, notes, outputs, provided } = form;
  const all = withDerived(given, form);
  const shown = visibleFields([...fields, ...notes], all).map(({ name }) => name);
  const isShown = new Set(shown);
  const values: Values = new Map([...all].filter(([name]) => isShown.has(name)));
  const demanded = demandedFields(fields, all);
  // Texts contain made-up values for fields without a given value.
  const samples = new Map<string, string[]>();
  for (const [name, value] of sampleValues(form, now, given))
    samples.set(name, [...(samples.get(name) ?? []), value]);
  const made = { requestId: '', receivedAt: now, values: samples };
  const submission = restoreSubmission(form, made, readSettings({}));
  const thanks = provided.get('thanks');
  const outcome: Outcome = { kind: 'delivered', status: 200, ...thanks?.answer(submission, values) };
  const redirect = redirectOf(outcome, form, locale);
  return {
    shown,
    required: fields
      .filter(({ name, required }) => isShown.has(name) && (required || demanded.has(name)))
      .map(({ name }) => name),
    outputs: outputs.map(({ condition: when }) => !when || holdsFor(when, values, fields)),
    thanks: thanks?.indexFor(values) ?? -1,
    confirmation: confirmationOf(outcome, form, locale),
    ...(redirect !== undefined && { redirect }),
    offered: Object.fromEntries(fields.flatMap(({ name, offered }) => (offered ? [[name, offered]] : []))),
    parts: fields.filter(({ inputs, takeFiles }) => inputs || takeFiles).map(({ name }) => name),
    several: fields.filter(({ takesSeveral }) => takesSeveral).map(({ name }) => name),
  };
}
