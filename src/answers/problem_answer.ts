import type { RelayResponse } from '../http.ts';
import type { Message, Say } from '../messages/message.ts';
import type { FieldError } from '../outcome.ts';
import { jsonAnswer } from './json_answer.ts';

/** RFC 9457, for programs that ask for it (D6): the code of what is wrong beside its words, and each field's own. */
export function problemAnswer(
  status: number,
  message: Message,
  say: Say,
  errors: readonly FieldError[] | undefined,
): RelayResponse {
  const answer = jsonAnswer(status, {
    type: 'about:blank',
    title: titles[status],
    status,
    detail: say(message),
    code: message.code,
    errors: errors?.map((error) => ({ field: error.field, code: error.code, message: say(error) })),
  });
  return { ...answer, headers: { ...answer.headers, 'content-type': 'application/problem+json' } };
}

/** By RFC 9110. Not `STATUS_CODES` from `node:http`, which a cold start need not load. */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
