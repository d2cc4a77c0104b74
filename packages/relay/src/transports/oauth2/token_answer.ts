import { failed, type Retry } from '../../base/client_error.ts';
import type { HttpAnswer } from '../../base/effects.ts';
import { parseJson } from '../parse_json.ts';
import { retryAfter } from '../retry_after.ts';
import type { OAuth2Grant } from './grant.ts';

export interface Token {
  readonly value: string;
  /** `undefined` where the server does not say it, or says nonsense. */
  readonly livesMs: number | undefined;
  /** Whether the server says nonsense about it: no number, or one that is not above zero. */
  readonly isLifeOdd: boolean;
  /** Whether another refresh token came with it, which nobody keeps. */
  readonly isRotated: boolean;
}

/** Reads what the token endpoint answered. Throws a `ClientError` where that is no token. */
export function readToken(answer: HttpAnswer, grant: OAuth2Grant, now: number): Token {
  const { status } = answer;
  if (status >= 300 && status < 400) throw failed('oauth2_redirected', { status });
  const object = jsonObject(answer.body);
  const error = errorCode(object?.error);
  // Some refuse with status 200.
  if (status >= 400 || error !== undefined) {
    const retry = retryOf(answer, error, now);
    if (error === undefined) throw failed('oauth2_status', { status }, retry);
    throw failed('oauth2_refused', { error, detail: detailOf(object), kind: grant.kind }, retry);
  }
  if (answer.isCut) throw failed('oauth2_answer_cut', {}, { retryAfterMs: 0, isUnsent: true });
  if (!object) throw failed('oauth2_no_json');
  const { access_token: value, token_type: type, expires_in: expiresIn, refresh_token: next } = object;
  // RFC 6749, 7.1: a token of a type that is not understood must not be used. Those who leave it out mean this one.
  if (type !== undefined && !(typeof type === 'string' && /^bearer$/i.test(type)))
    throw failed('oauth2_token_type');
  // What may stand in a header, and is not so long that no server takes it.
  if (typeof value !== 'string' || !/^[!-~]{1,16384}$/.test(value)) throw failed('oauth2_no_token');
  const livesMs = lifeOf(expiresIn);
  return {
    value,
    livesMs,
    isLifeOdd: livesMs === undefined && expiresIn !== undefined && expiresIn !== null,
    isRotated: grant.kind === 'refresh_token' && typeof next === 'string' && next !== grant.refreshToken,
  };
}

function jsonObject(body: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(body);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** RFC 6749, 5.2. What does not look like a code is text, which stays out of logs. */
const errorCode = (error: unknown): string | undefined =>
  typeof error === 'string' && /^[a-z]+(_[a-z]+){0,5}$/.test(error) && error.length <= 40 ? error : undefined;

/** Microsoft's own number, by which its manual is sorted. */
function detailOf(object: Readonly<Record<string, unknown>> | undefined): string {
  const [code]: readonly unknown[] = Array.isArray(object?.error_codes) ? object.error_codes : [];
  return Number.isInteger(code) && Number(code) > 0 && Number(code) < 1e9 ? `AADSTS${code}` : '';
}

/** A token may be asked for again whatever became of the request. Only what time does not cure is not repeated. */
function retryOf({ status, headers }: HttpAnswer, error: string | undefined, now: number): Retry {
  const isPassing = status >= 500 || [408, 425, 429].includes(status) || passingErrors.includes(error ?? '');
  if (!isPassing) return { isUnsent: true };
  const retryAfterMs = retryAfter(headers['retry-after'], now);
  // A 429 without a time to wait would only be repeated.
  return { retryAfterMs: retryAfterMs ?? (status === 429 ? undefined : 0), isUnsent: true };
}

const passingErrors = ['temporarily_unavailable', 'server_error', 'slow_down'];

/** Some write the number as text. Zero and less say nothing that can be meant of a token that was given just now. */
function lifeOf(expiresIn: unknown): number | undefined {
  const isNumber =
    typeof expiresIn === 'number' || (typeof expiresIn === 'string' && /^\d+(\.\d+)?$/.test(expiresIn));
  const seconds = isNumber ? Number(expiresIn) : 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}
