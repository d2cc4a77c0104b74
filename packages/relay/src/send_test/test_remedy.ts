import { ClientError, type ClientErrorCode, type Params } from '../base/client_error.ts';
import type { Output } from '../outputs/output.ts';
import type { Message } from '../transports/index.ts';
import { tokenRemedy } from '../transports/oauth2/token_probe.ts';
import { tokenRequest } from '../transports/oauth2/token_request.ts';
import { smtpRemedy, variablesIn } from '../transports/smtp/smtp_probe.ts';

/**
 * The owner's remedy for a failed delivery. `undefined`: the reason says enough.
 *
 * @param message Absent if none could be made.
 */
export function testRemedy(
  error: ClientError,
  { target, templates }: Pick<Output, 'target' | 'templates'>,
  message: Message | undefined,
): string | undefined {
  const { code } = error;
  const variables = variablesIn(templates.map(({ template }) => template));
  if (code.startsWith('oauth2_')) return tokenRemedy(error, tokenUrlOf(message));
  if (code === 'http_status') return statusRemedy((error.params as Params<'http_status'>).status, variables);
  if (code === 'smtp_refused' && error.retryAfterMs === undefined) {
    const known = refusedRemedies[(error.params as Params<'smtp_refused'>).command];
    if (known !== undefined) return known;
  }
  if (target?.via === 'smtp' && ofLogin.includes(code)) return smtpRemedy(error, target, variables);
  return seenByDoctor.includes(code) ? 'Run relay doctor: it says what is wrong.' : undefined;
}

/** The token endpoint of a message that is sent with an access token. */
function tokenUrlOf(message: Message | undefined): URL | undefined {
  const oauth2 = message?.via === 'http' || message?.via === 'smtp' ? message.oauth2 : undefined;
  const grant = oauth2 && 'grant' in oauth2 ? oauth2.grant : oauth2;
  try {
    return grant && tokenRequest(grant, 0).url;
  } catch (error) {
    // The grant itself is malformed, which the error says.
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}

/** For mails that the server refused after the login, of which the doctor sends none. */
const refusedRemedies: Readonly<Record<string, string | undefined>> = {
  MAIL: 'Check `from`: many servers let a login send for its own addresses alone.',
  RCPT: 'Check the addresses in `to`, `cc` and `bcc`, and that this server takes mail for them.',
  DATA: 'Ask whoever runs the server why it refuses such a mail: its log says more.',
};

const ofLogin: readonly ClientErrorCode[] = ['smtp_refused', 'login_refused', 'login_broken', 'no_auth'];

const seenByDoctor: readonly ClientErrorCode[] = [
  'unresolved',
  'nobody_listens',
  'unreachable',
  'timed_out',
  'tls_failed',
  'certificate_expired',
  'certificate_of_another_name',
  'certificate_untrusted',
  'turned_away',
  'no_starttls',
  'no_starttls_for_login',
  'ses_status',
  'aws_without_credentials',
  'mail_from_unset',
];

function statusRemedy(status: number, variables: string): string | undefined {
  if (status === 401 || status === 403)
    return `Check the credentials of this output${variables && `: ${variables}`}, and what they are allowed to do.`;
  if (status === 400 || status === 415 || status === 422)
    return 'Compare `mapping`, `static` or `body` with what the service wants; relay explain shows the whole request.';
  return undefined;
}
