/** Reads submitted values as their fields understand them, and adds the results that the relay works out. */
import type { Values } from '../base/values.ts';
import type { Field } from './field.ts';

export const hasMeaning = ({ meant, joined }: Field): boolean => meant !== undefined || joined !== undefined;

export function meantBy({ meant, joined }: Field, sent: readonly string[]): readonly string[] {
  const values = joined ? joined(sent) : sent;
  return meant && values.some((value) => meant(value) !== value) ? values.map(meant) : values;
}

export function withMeaning(sent: Values, fields: readonly Field[]): Values {
  let understood: Map<string, readonly string[]> | undefined;
  for (const field of fields) {
    const values = sent.get(field.name);
    const meant = values && meantBy(field, values);
    if (!meant || meant === values) continue;
    understood ??= new Map(sent);
    understood.set(field.name, meant);
  }
  return withResults(understood ?? sent, fields);
}

/** The values with all that the relay works out from them. */
export const withResults = (values: Values, fields: readonly Field[]): Values =>
  fields.find((field) => field.withResults)?.withResults?.(values, fields) ?? values;
