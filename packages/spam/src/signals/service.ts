/** The shared part of signals that ask a service. */
import { createHash } from 'node:crypto';
import type { HttpAnswer, Services } from '@form-relay/core/index';
import {
  ClientError,
  parseAddress,
  parseJson,
  privateNetworkOf,
  readAddress,
  stackOf,
  withoutEmpty,
  writeAddress,
} from '@form-relay/core/kit';
import { failed } from '../failures.ts';
import type { Found, Look, Seen, SignalWorld } from './signal.ts';

/** A visitor waits for it; less when the submission has less time left. */
const mostMs = 1_500;

/** No service answers faster over a network. */
const leastMs = 20;

interface Question {
  readonly signal: string;
  readonly host: string;
  /** All that the service is asked about. The same within a while is not asked again. */
  readonly about: readonly unknown[];
}

/**
 * Asks a service, unless it answered the same question a moment ago. Whatever becomes of that, the submission goes on: a
 * service without an answer speaks for nobody and against nobody. `ask` throws a `ClientError` where there is no verdict.
 */
export async function askService(
  { signal, host, about }: Question,
  { formId, deadline }: Seen,
  { memory, services }: SignalWorld,
  ask: (timeoutMs: number) => Promise<Found | undefined>,
): Promise<Look> {
  const service = memory.services.at<Found | undefined>(signal, host);
  const question = createHash('sha256')
    .update(JSON.stringify([formId, signal, about]))
    .digest('base64');
  try {
    const timeoutMs = Math.min(mostMs, deadline - services.now());
    // It is not the service's failure.
    if (timeoutMs < leastMs) throw failed('service_no_time');
    return await service.ask(question, () => ask(timeoutMs));
  } catch (error) {
    const isKnown = error instanceof ClientError;
    // A bug must not cost a submission.
    if (!isKnown) services.log('error', 'internal_error', { stack: stackOf(error) });
    const silent = isKnown ? error.message : 'internal error';
    // Why it rests was told as it failed.
    if (!isKnown || error.code !== 'service_rests') service.logSilence(services.log, silent);
    return { silent };
  }
}

/** The value of a variable that holds a key. Throws a `ClientError` where it is not set. */
export function keyFrom(name: string, { env }: Pick<Services, 'env'>): string {
  const key = env(name)?.trim();
  if (!key) throw failed('service_key_unset', { name });
  return key;
}

/** An answer's body. Throws a `ClientError` for one that did not come whole, or with success. */
export function bodyOf({ status, body, isCut }: HttpAnswer): string {
  if (status < 200 || status > 299) throw failed('service_status', { status });
  if (isCut) throw failed('service_without_verdict');
  return body;
}

/** The failure of an answer that cannot be read as a verdict. */
export const noVerdictIn = ({ unknownCoding: coding }: HttpAnswer): ClientError =>
  coding === undefined ? failed('service_without_verdict') : failed('answer_coded', { coding });

type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in an answer. Throws a `ClientError` where there is none. */
export function objectIn(answer: HttpAnswer): JsonObject {
  const json = parseJson(bodyOf(answer));
  if (!isObject(json)) throw noVerdictIn(answer);
  return json;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number, or one in quotes; `undefined` for anything else. */
export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The sender's address, if it is public: services know no others. */
export function publicAddress({ address: text = '' }: Seen): string | undefined {
  const address = readAddress(text);
  return address && !privateNetworkOf(address) ? writeAddress(address) : undefined;
}

/** The first address of the form's first such field; `undefined` where none, or something else, was typed. */
export function emailIn({ fields, values }: Seen): string | undefined {
  for (const { type, name } of fields) {
    const [first] = type === 'email' ? withoutEmpty(values.get(name) ?? []) : [];
    if (first !== undefined) return parseAddress(first.trim());
  }
  return undefined;
}

/** The text fields' values without those that `isLeftOut`, one per line. */
export const textIn = (
  { fields, values }: Seen,
  isLeftOut: (field: Seen['fields'][number]) => boolean = () => false,
): string =>
  fields
    .filter((field) => isText.has(field.type) && !isLeftOut(field))
    .flatMap(({ name }) => withoutEmpty(values.get(name) ?? []))
    .join('\n');

/** Services need no phone number, no day of birth and no choice. */
const isText: ReadonlySet<string> = new Set(['text', 'textarea', 'url']);
