import { ClientError, type ClientErrorCode, type Params } from '../../base/client_error.ts';
import { type Diagnosis, failure, ok, warning } from '../../base/diagnosis.ts';
import type { Effects } from '../../base/effects.ts';
import { connectionRemedy } from '../connection_remedy.ts';
import { askForToken } from './ask_for_token.ts';
import type { OAuth2, OAuth2Grant } from './grant.ts';
import type { Token } from './token_answer.ts';
import { tokenRequest } from './token_request.ts';
import { assumedLifeMs } from './tokens.ts';

/** What an authorization server gave, and what there is to say about it. */
export interface ProbedToken {
  readonly diagnosis: Diagnosis;
  /** `undefined` where there is none. */
  readonly token: string | undefined;
}

/**
 * Whether the authorization server gives a token.
 *
 * @param isTried Whether it is then shown to whom it is for.
 */
export async function probeToken(
  grantNow: () => OAuth2Grant,
  timeoutMs: number,
  effects: Pick<Effects, 'http' | 'now'>,
  isTried: boolean,
): Promise<ProbedToken> {
  let url: URL | undefined;
  const subject = () => (url === undefined ? 'oauth2' : `tokens of ${url.host}`);
  try {
    const grant = grantNow();
    ({ url } = tokenRequest(grant, effects.now()));
    const token = await askForToken(grant, timeoutMs, effects);
    return { diagnosis: judge(subject(), token, isTried), token: token.value };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { diagnosis: failure(subject(), error.message, remedy(error, url)), token: undefined };
  }
}

/** For telling declarations apart. Holds no secret. */
export const sourceOf = (oauth2: OAuth2 | undefined): string => JSON.stringify(oauth2, mapsAsLists) ?? '';

/** For JSON, to which all maps are the same. */
const mapsAsLists = (_: string, value: unknown) => (value instanceof Map ? [...value] : value);

function judge(subject: string, { livesMs, isLifeOdd, isRotated }: Token, isTried: boolean): Diagnosis {
  if (isRotated) {
    const says = 'gave a token, and another refresh token with it, which the relay does not keep';
    const remedy =
      'Find out how long the old one stays good beside it. Where it ends with its use, deliveries fail from the second token on: choose another grant, or a service that keeps its refresh tokens.';
    return warning(subject, says, remedy);
  }
  const assumed = `${assumedLifeMs / 60_000} minutes are assumed`;
  if (isLifeOdd) {
    const says = `gave a token, and expires_in is no time: ${assumed}`;
    return warning(subject, says, 'It works. Whoever runs the server may want to know.');
  }
  return livesMs === undefined
    ? ok(subject, `gave a token, and does not say for how long: ${assumed}`)
    : ok(subject, `gave a token for ${lasting(livesMs)}${isTried ? '' : '; what it opens was not tried'}`);
}

const lasting = (ms: number) =>
  ms < 120_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;

/** What the owner can do, in the words of the provider's own pages where it is a known one. */
function remedy(error: ClientError, url: URL | undefined): string {
  switch (error.code) {
    case 'oauth2_refused': {
      const refused = error.params as Params<'oauth2_refused'>;
      const known = ofProvider(url?.hostname ?? '', refused) ?? own(general, refused.error);
      return known ?? 'Look the code up in the manual of the service.';
    }
    case 'oauth2_unreachable': {
      const { cause } = error.params as Params<'oauth2_unreachable'>;
      const port = Number(url?.port) || (url?.protocol === 'http:' ? 80 : 443);
      return connectionRemedy(cause as ClientErrorCode, url?.hostname ?? '', port);
    }
    case 'oauth2_status': {
      const { status } = error.params as Params<'oauth2_status'>;
      return status === 429 || status >= 500 ? later : checkUrl;
    }
    case 'oauth2_no_json':
    case 'oauth2_no_token':
    case 'oauth2_redirected':
      return checkUrl;
    case 'oauth2_account_no_json':
    case 'oauth2_account_malformed':
    case 'oauth2_key_malformed':
      return 'Put the text of the file into the variable, from its first character to its last.';
    case 'rendered_empty':
      return 'Set the variable where the relay runs.';
    default:
      return 'Ask whoever runs the authorization server.';
  }
}

const checkUrl =
  'Check token_url: the manual of the service calls it token endpoint, token URL or access token URL.';
const later = 'That may pass: ask again in a while.';

const general: Readonly<Record<string, string>> = {
  slow_down: later,
  temporarily_unavailable: later,
  server_error: later,
  invalid_client:
    'Check client_id and client_secret: copy both anew. If they are right, the service may want them in the body: client_auth: post.',
  invalid_scope: "Write scope as the service's manual has it, with spaces between several.",
  unauthorized_client: "Allow this grant for the client, in the service's settings of the app.",
  invalid_grant: 'Check whom the credential belongs to, whether it has ended, and the clock of this machine.',
  unsupported_grant_type: 'Check token_url and grant: this server gives tokens in other ways only.',
  invalid_request: 'See in the manual of the service what its token request needs: scope, or one of params.',
};

function ofProvider(
  host: string,
  { error: code, detail, kind }: Params<'oauth2_refused'>,
): string | undefined {
  if (detail !== '') {
    const lookUp = `https://login.microsoftonline.com/error?code=${detail.replace('AADSTS', '')}`;
    return own(microsoft, detail) ?? `Microsoft says what it means at ${lookUp}.`;
  }
  if (/(^|\.)googleapis\.com$/.test(host)) {
    return own(kind === 'refresh_token' ? googleConsent : google, code);
  }
  return /(^|\.)(salesforce|force)\.com$/.test(host) ? own(salesforce, code) : undefined;
}

const own = (remedies: Readonly<Record<string, string>>, code: string) =>
  Object.hasOwn(remedies, code) ? remedies[code] : undefined;

const google: Readonly<Record<string, string>> = {
  invalid_grant:
    'In the Google Cloud console, under IAM & Admin, Service Accounts, Keys: is this key still there, and the account enabled? With subject: does the user exist? And is the clock of this machine right?',
  unauthorized_client:
    'Only a domain-wide delegation lets a service account act as a user: Admin console, Security, Access and data control, API controls, Manage domain-wide delegation. Add the client ID of the account with exactly this scope. Or leave out subject, and share the document with client_email.',
  invalid_scope:
    'Write scope as in "OAuth 2.0 Scopes for Google APIs": https://www.googleapis.com/auth/spreadsheets.',
  access_denied:
    'An administrator of the organization does not allow this: ask for the policy on service accounts.',
};

/** Of somebody's consent, where no service account is. */
const googleConsent: Readonly<Record<string, string>> = {
  invalid_grant:
    'Give consent again, and take the new refresh token. It ends after seven days while the publishing status of the app is "Testing", after six months without use, when the consent is taken back, and with Gmail\'s scope when the password of the account changes.',
  unauthorized_client:
    'The refresh token belongs to another client: give consent with this client_id and client_secret. In the OAuth playground, that is "Use your own OAuth credentials".',
};

const salesforce: Readonly<Record<string, string>> = {
  invalid_grant:
    'token_url must be at your My Domain (https://NAME.my.salesforce.com/services/oauth2/token), and the app needs "Enable Client Credentials Flow" and a "Run As" user in its policies.',
  invalid_client_id:
    'client_id is the Consumer Key of the app. A new app takes up to ten minutes to be known.',
  invalid_client: 'client_secret is the Consumer Secret of the app: Setup, the app, Manage Consumer Details.',
};

/** By the number in Microsoft's "Microsoft Entra authentication and authorization error codes". */
const microsoft: Readonly<Record<string, string>> = {
  AADSTS7000215:
    "client_secret must be the secret's Value, not its Secret ID: Certificates & secrets of the app registration. It is shown only once, so make a new one if it is lost.",
  AADSTS7000222:
    'The client secret has expired: make a new one under Certificates & secrets of the app registration.',
  AADSTS700016:
    'client_id must be the Application (client) ID, and token_url hold the Directory (tenant) ID of the tenant where the app is registered.',
  AADSTS90002: 'There is no such tenant: token_url must hold the Directory (tenant) ID.',
  AADSTS900023: 'There is no such tenant: token_url must hold the Directory (tenant) ID.',
  AADSTS70011:
    'With client credentials, scope is the resource and /.default: https://graph.microsoft.com/.default',
  AADSTS1002012:
    'With client credentials, scope is the resource and /.default: https://graph.microsoft.com/.default',
  AADSTS500011:
    'The resource in scope is not known in this tenant: check how it is written, or add it to the tenant.',
  AADSTS700082: 'The refresh token has expired, since it was not used: sign in again.',
  AADSTS70008: 'The refresh token has expired: sign in again.',
  AADSTS50173: 'The grant was withdrawn, often by a new password: sign in again.',
  AADSTS65001:
    'The app has no consent: an administrator grants it under API permissions of the app registration.',
  AADSTS53003: 'A Conditional Access policy blocks the app: ask the administrator of the tenant.',
};
