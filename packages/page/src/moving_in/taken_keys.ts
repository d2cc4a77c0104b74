import { field as fieldSchema, say } from '@form-relay/relay/config';
import type { Field } from '@form-relay/relay/features';
import { say as sayToVisitor } from '@form-relay/relay/pages';
import { findingOf } from '@form-relay/relay/schema';
import * as v from 'valibot';
import type { Keys, Value } from './yaml_text.ts';

export interface TakenKeys {
  readonly keys: Keys;
  /** Keys that the config would refuse, and why. */
  readonly refused: readonly (readonly [key: string, why: string])[];
}

/**
 * The keys of a field without those that would keep the config from loading: pages hold patterns that are none, and
 * limits that contradict each other, which browsers ignore. The field types themselves say which.
 */
export function takenKeys(keys: Keys): TakenKeys {
  const refused: (readonly [string, string])[] = [];
  let rest = keys;
  for (;;) {
    const problem = problemOf(rest);
    if (problem === undefined) return { keys: rest, refused };
    refused.push(problem);
    rest = { ...rest, [problem[0]]: undefined };
  }
}

/** Whether the config takes all of them. */
export const areTaken = (keys: Keys): boolean => problemOf(keys) === undefined;

function problemOf(keys: Keys): readonly [key: string, why: string] | undefined {
  const parsed = v.safeParse(fieldSchema, asWritten(keys));
  if (parsed.success) return refusedValue(parsed.output);
  const [issue] = parsed.issues;
  const found = findingOf(issue);
  const [key] = found.path;
  // Its name and its options were looked at before.
  if (typeof key !== 'string' || keys[key] === undefined) throw new Error(`no field: ${say(found)}`);
  return [key, say(found)];
}

function refusedValue(field: Field): readonly [key: string, why: string] | undefined {
  const filled = (field.value ?? []).filter((value) => value !== '');
  const refused = filled.length > 0 ? field.check(filled) : undefined;
  return refused && ['value', sayToVisitor(refused)];
}

/** As the config's text arrives at its schema. */
function asWritten(value: Value | undefined): unknown {
  if (value === undefined || typeof value === 'string') return value;
  if (value === true) return 'true';
  if (Array.isArray(value)) return value.map(asWritten);
  const entries = Object.entries(value as Keys).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, asWritten(inner)]));
}
