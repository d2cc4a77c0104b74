import { ClientError, failed } from '../../base/client_error.ts';
import type { Effects, HttpAnswer } from '../../base/effects.ts';
import type { OAuth2Grant } from './grant.ts';
import { readToken, type Token } from './token_answer.ts';
import { tokenRequest } from './token_request.ts';

/** Asks for a token, once. Rejects with a `ClientError`. */
export async function askForToken(
  grant: OAuth2Grant,
  timeoutMs: number,
  { http, now }: Pick<Effects, 'http' | 'now'>,
): Promise<Token> {
  const request = tokenRequest(grant, now());
  const answer = await http({ ...request, timeoutMs }).catch((error): HttpAnswer => {
    throw error instanceof ClientError ? unreachable(error) : error;
  });
  return readToken(answer, grant, now());
}

/** Whatever became of the request, what was submitted has not been sent. */
export const unreachable = ({ message: reason, code: cause }: Pick<ClientError, 'message' | 'code'>) =>
  failed('oauth2_unreachable', { reason, cause }, { retryAfterMs: 0, isUnsent: true });
