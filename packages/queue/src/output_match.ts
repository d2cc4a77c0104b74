import { createHash } from 'node:crypto';
import type { Form, FormOutput } from '@form-relay/core/index';
import { Template } from '@form-relay/schema/template';
import type { QueuedOutput } from '@form-relay/stores/store';

/** Identifies an output, so that it can be found after the config has changed. */
export function outputIdentity({ outputs }: Pick<Form, 'outputs'>, place: number): QueuedOutput {
  const output = outputs[place];
  if (!output) throw new Error('this output does not exist');
  return { place, of: outputs.length, type: output.type, fingerprint: fingerprintOf(output) };
}

/**
 * The index of the output that a delivery belongs to: the unchanged output, even if it moved, or a changed output at the
 * same index with the same type. `undefined` if that is ambiguous, because a delivery must never go to another output.
 */
export function findOutput(
  { outputs }: Pick<Form, 'outputs'>,
  { place, of, type, fingerprint }: QueuedOutput,
): number | undefined {
  const isSame = (output: FormOutput | undefined) =>
    output !== undefined && output.type === type && fingerprintOf(output) === fingerprint;
  if (isSame(outputs[place])) return place;
  const same = outputs.flatMap((output, index) => (isSame(output) ? [index] : []));
  if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  return outputs.length === of && outputs[place]?.type === type ? place : undefined;
}

const known = new WeakMap<FormOutput, string>();

function fingerprintOf(output: FormOutput): string {
  const fingerprint =
    known.get(output) ?? createHash('sha256').update(written(output)).digest('hex').slice(0, 16);
  known.set(output, fingerprint);
  return fingerprint;
}

/** Keys that change most often, and that must not be guessed from a hash. */
const credentials = ['username', 'password', 'headers', 'oauth2', 'sign', 'token'];

const derived = [
  'form',
  'plan',
  'transport',
  'condition',
  'accepts',
  'timeoutMs',
  'readsFields',
  'templates',
];

/** Keys that say how to deliver rather than where and what. */
const manner = ['timeout', 'retries', 'on_error', 'when', 'aside', 'waiting', 'approve'];

const left = [...credentials, ...derived, ...manner];

/** The part of an output's config that says where to deliver, and what. */
function written(output: FormOutput): string {
  const keys = Object.entries(output).filter(([key]) => !left.includes(key));
  return JSON.stringify(Object.fromEntries(keys), (_, value: unknown) => {
    if (value instanceof Template || value instanceof RegExp) return value.source;
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
}
