import { type FailureParams, failures } from '@form-relay/base/client_error';
import { connectionWords } from '../failures.ts';
import type { OAuth2Grant } from './token_request.ts';

const none = 'no access token: ';

export const oauth2Words = {
  timed_out: connectionWords.timed_out,
  rendered_empty: ({ key }: { key: string }) => `\`${key}\` rendered empty; is its environment variable set?`,
  oauth2_refused: ({ error, detail }: Refused) =>
    `${none}the authorization server answered ${error}${detail && ` (${detail})`}`,
  oauth2_status: ({ status }: { status: number }) => `${none}the authorization server answered ${status}`,
  oauth2_unreachable: ({ reason }: { reason: string; cause: string }) =>
    `${none}the authorization server did not answer: ${reason}`,
  oauth2_redirected: ({ status }: { status: number }) =>
    `${none}the authorization server answered ${status}; \`token_url\` must be the address that it leads to`,
  oauth2_no_json: `${none}the authorization server did not answer with whole JSON of at most 64 KB; is \`token_url\` its token endpoint?`,
  oauth2_no_token: `${none}there is none in the authorization server's answer that could stand in a header`,
  oauth2_account_malformed:
    '`oauth2.service_account` is not the JSON of a service account; put all that the file holds into the variable, not its path',
};

export type OAuth2Failure<C extends keyof typeof oauth2Words> = FailureParams<typeof oauth2Words, C>;

export const failed = failures(oauth2Words);

interface Refused {
  /** RFC 6749, 5.2. */
  readonly error: string;
  /** Microsoft's own number, or empty. */
  readonly detail: string;
  readonly grant: OAuth2Grant['grant'];
}
