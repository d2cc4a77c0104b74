import { ClientError, type ClientErrorCode, type Params } from '../base/client_error.ts';
import type { Output } from '../outputs/output.ts';
import { connectionRemedy } from '../transports/connection_remedy.ts';
import type { HttpTarget } from '../transports/http/http_transport.ts';
import type { Message } from '../transports/index.ts';
import { tokenRemedy } from '../transports/oauth2/token_probe.ts';
import { tokenRequest } from '../transports/oauth2/token_request.ts';
import { smtpRemedy, variablesIn } from '../transports/smtp/smtp_probe.ts';
import type { SmtpTarget } from '../transports/smtp/smtp_transport.ts';

/**
 * The owner's remedy for a failed delivery, in the doctor's words if it knows the failure. `undefined`: the reason says
 * enough.
 *
 * @param message Absent if none could be made.
 */
export function testRemedy(
  error: ClientError,
  output: Pick<Output, 'target' | 'templates'>,
  message: Message | undefined,
): string | undefined {
  const { target } = output;
  if (error.code === 'address_unset' || error.code === 'address_malformed') {
    const { name } = error.params as Params<'address_unset'>;
    return `Set ${name} to the whole address, as the service shows it.`;
  }
  if (error.code === 'mail_from_unset') return 'Set MAIL_FROM_ADDRESS to a sender that SES knows.';
  if (error.code.startsWith('oauth2_')) return tokenRemedy(error, tokenUrlOf(message));
  if (target?.via === 'smtp') return mailRemedy(error, target);
  if (target?.via === 'ses') return sesRemedies[error.code];
  if (target?.via === 'http') return httpRemedy(error, target, output, message);
  return undefined;
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
function mailRemedy(error: ClientError, target: SmtpTarget): string | undefined {
  const { username, password } = target;
  const ofLogin = [username, password].filter((template) => template !== undefined);
  if (error.code === 'smtp_refused' && error.retryAfterMs === undefined) {
    const { command } = error.params as Params<'smtp_refused'>;
    if (command === 'RCPT')
      return 'Check the addresses in `to`, `cc` and `bcc`, and that this server takes mail for them.';
    if (command === 'MAIL') return 'Check `from`: many servers let a login send for its own addresses alone.';
    if (command === 'DATA')
      return 'Ask whoever runs the server why it refuses such a mail: its log says more.';
  }
  const known = knownToSmtp.includes(error.code);
  return known ? smtpRemedy(error, target, variablesIn(ofLogin)) : undefined;
}

const ofConnections: readonly ClientErrorCode[] = [
  'unresolved',
  'nobody_listens',
  'unreachable',
  'connection_failed',
  'timed_out',
  'tls_failed',
  'certificate_expired',
  'certificate_of_another_name',
  'certificate_untrusted',
];

const knownToSmtp: readonly ClientErrorCode[] = [
  ...ofConnections,
  'closed',
  'turned_away',
  'smtp_refused',
  'login_refused',
  'login_broken',
  'no_auth',
  'no_starttls',
  'no_starttls_for_login',
  'not_smtp',
];

const seeDoctor = 'Run relay doctor: it looks at the account, the sender and the region.';
const sesRemedies: Readonly<Partial<Record<ClientErrorCode, string>>> = {
  ses_status: seeDoctor,
  aws_without_credentials: seeDoctor,
  timed_out: seeDoctor,
};

function httpRemedy(
  error: ClientError,
  { name }: HttpTarget,
  { templates }: Pick<Output, 'templates'>,
  message: Message | undefined,
): string | undefined {
  if (ofConnections.includes(error.code)) {
    const url = message?.via === 'http' ? message.url : undefined;
    const isSecret = message?.via === 'http' && message.addressFrom !== undefined;
    const host = url === undefined || isSecret ? `the host of ${name}` : url.hostname;
    const port = Number(url?.port) || (url?.protocol === 'http:' ? 80 : 443);
    if (error.code === 'timed_out')
      return `See whether ${host} answers at all; a slow service needs a longer \`timeout\`.`;
    return connectionRemedy(error.code, host, port);
  }
  if (error.code === 'redirect_unfollowed' || error.code === 'redirected_inside')
    return 'Ask the receiver for its final address, and put that into `url`.';
  if (error.code !== 'http_status') return undefined;
  const { status } = error.params as Params<'http_status'>;
  if (status === 401 || status === 403) {
    const variables = variablesIn(templates.map(({ template }) => template));
    return `Check the credentials of this output${variables && `: ${variables}`}, and what they are allowed to do.`;
  }
  if (status === 404 || status === 405 || status === 410) return `Check the address: ${name}.`;
  if (status === 400 || status === 415 || status === 422)
    return 'Compare `mapping`, `static` or `body` with what the service wants; relay explain shows the whole request.';
  if (status === 429 || status >= 500) return 'That may pass: try again in a while.';
  return undefined;
}
