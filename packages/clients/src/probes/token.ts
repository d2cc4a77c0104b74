import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import type { Services } from '@form-relay/core/services';
import {
  askForToken,
  assumedLifeMs,
  type OAuth2,
  type OAuth2Failure,
  type OAuth2Grant,
  type Token,
  tokenRequest,
} from '../oauth2.ts';
import { connectionRemedy } from './connection.ts';
import remedies from './token_remedies.json' with { type: 'json' };

export interface ProbedToken {
  readonly finding: Finding;
  readonly token: string | undefined;
}

/**
 * Checks whether the authorization server issues a token.
 *
 * @param isTried Whether the caller then uses the token.
 */
export async function probeToken(
  grantNow: () => OAuth2Grant,
  timeoutMs: number,
  services: Pick<Services, 'http' | 'now'>,
  isTried: boolean,
): Promise<ProbedToken> {
  let url: URL | undefined;
  const subject = () => (url === undefined ? 'oauth2' : `tokens of ${url.host}`);
  try {
    const grant = grantNow();
    ({ url } = tokenRequest(grant, services.now()));
    const token = await askForToken(grant, timeoutMs, services);
    return { finding: judge(subject(), token, isTried), token: token.value };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { finding: failure(subject(), error.message, tokenRemedy(error, url)), token: undefined };
  }
}

/** A text that distinguishes declarations. Holds no secret. */
export const sourceOf = (oauth2: OAuth2 | undefined): string => JSON.stringify(oauth2, mapsAsLists) ?? '';

/** Without this, all maps would be `{}` in JSON. */
const mapsAsLists = (_: string, value: unknown) => (value instanceof Map ? [...value] : value);

function judge(subject: string, { livesMs, isRotated }: Token, isTried: boolean): Finding {
  if (isRotated) {
    const says = 'issued a token and a new refresh token, which the relay does not store';
    const remedy =
      'Find out how long the old refresh token stays valid. If it works only once, deliveries fail from the second token on: choose another grant, or a service that does not rotate refresh tokens.';
    return warning(subject, says, remedy);
  }
  const assumed = `assuming ${assumedLifeMs / 60_000} minutes`;
  return livesMs === undefined
    ? ok(subject, `issued a token without a lifetime: ${assumed}`)
    : ok(
        subject,
        `issued a token for ${lasting(livesMs)}${isTried ? '' : '; its permissions were not tested'}`,
      );
}

const lasting = (ms: number) =>
  ms < 120_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;

/**
 * The owner's remedy if there is no token, in the terms of a known provider's own pages.
 *
 * @param url The token endpoint's address, if known.
 */
export function tokenRemedy(error: ClientError, url: URL | undefined): string {
  switch (error.code) {
    case 'oauth2_refused': {
      const refused = error.params as OAuth2Failure<'oauth2_refused'>;
      const known = ofProvider(url?.hostname ?? '', refused) ?? own(remedies.general, refused.error);
      return known ?? "Look up the code in the service's documentation.";
    }
    case 'oauth2_unreachable': {
      const { cause } = error.params as OAuth2Failure<'oauth2_unreachable'>;
      const port = Number(url?.port) || (url?.protocol === 'http:' ? 80 : 443);
      return connectionRemedy(cause, url?.hostname ?? '', port);
    }
    case 'oauth2_status': {
      const { status } = error.params as OAuth2Failure<'oauth2_status'>;
      return status === 429 || status >= 500 ? later : checkUrl;
    }
    case 'oauth2_no_json':
    case 'oauth2_no_token':
    case 'oauth2_redirected':
      return checkUrl;
    case 'oauth2_account_malformed':
      return 'Put the whole content of the file into the variable.';
    case 'rendered_empty':
      return 'Set the variable where the relay runs.';
    default:
      return 'Ask the operator of the authorization server.';
  }
}

const checkUrl = 'Check token_url: services call it token endpoint, token URL or access token URL.';
const later = 'This may be temporary: try again later.';

function ofProvider(
  host: string,
  { error: code, detail, grant }: OAuth2Failure<'oauth2_refused'>,
): string | undefined {
  if (detail !== '') {
    const lookUp = `https://login.microsoftonline.com/error?code=${detail.replace('AADSTS', '')}`;
    return own(remedies.microsoft, detail) ?? `Microsoft explains the code at ${lookUp}.`;
  }
  if (/(^|\.)googleapis\.com$/.test(host)) {
    return own(grant === 'refresh_token' ? remedies.google_consent : remedies.google, code);
  }
  return /(^|\.)(salesforce|force)\.com$/.test(host) ? own(remedies.salesforce, code) : undefined;
}

const own = (known: Readonly<Record<string, string>>, code: string) =>
  Object.hasOwn(known, code) ? known[code] : undefined;
