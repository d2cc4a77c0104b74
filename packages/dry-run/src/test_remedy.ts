import { ClientError } from '@form-relay/base/client_error';
import { type OAuth2, tokenRequest } from '@form-relay/clients/oauth2/token_request';
import { smtpRemedy, variablesIn } from '@form-relay/clients/probes/smtp_remedy';
import { tokenRemedy } from '@form-relay/clients/probes/token';
import type { FormOutput } from '@form-relay/core/outputs/output';
import type { TemplateContext } from '@form-relay/schema/template';

/** The owner's remedy for a failed delivery. `undefined`: the reason says enough. */
export function testRemedy(
  error: ClientError,
  output: FormOutput,
  context: TemplateContext,
): string | undefined {
  const { code } = error;
  const params: { readonly status?: number; readonly command?: string } = error.params;
  const variables = variablesIn(output.templates.map(({ template }) => template));
  if (code.startsWith('oauth2_')) return tokenRemedy(error, tokenUrlOf(output, context));
  if (code === 'http_status') return statusRemedy(params.status ?? 0, variables);
  if (code === 'smtp_refused' && error.retryAfterMs === undefined) {
    const known = refusedRemedies[params.command ?? ''];
    if (known !== undefined) return known;
  }
  if (output.transport?.protocol === 'smtp' && ofLogin.has(code)) {
    const [host = '', port = ''] = (output.transport?.target ?? '').split(/:(?=\d+$)/);
    return smtpRemedy(error, { host, port: Number(port) }, variables);
  }
  return seenByDoctor.has(code) ? 'Run relay doctor: it says what is wrong.' : undefined;
}

/** The token endpoint of an output that sends with an access token. */
function tokenUrlOf(output: FormOutput, context: TemplateContext): URL | undefined {
  const { oauth2 } = output as FormOutput & { readonly oauth2?: OAuth2 };
  try {
    return oauth2 && tokenRequest(oauth2.grantOf(context), 0).url;
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

const ofLogin: ReadonlySet<string> = new Set(['smtp_refused', 'login_refused', 'login_broken', 'no_auth']);

const seenByDoctor: ReadonlySet<string> = new Set([
  ...['unresolved', 'nobody_listens', 'unreachable', 'timed_out', 'tls_failed', 'certificate_expired'],
  ...['certificate_of_another_name', 'certificate_untrusted', 'turned_away', 'no_starttls'],
  ...['no_starttls_for_login', 'ses_status', 'aws_without_credentials', 'mail_from_unset'],
]);

function statusRemedy(status: number, variables: string): string | undefined {
  if (status === 401 || status === 403)
    return `Check the credentials of this output${variables && `: ${variables}`}, and what they are allowed to do.`;
  if (status === 400 || status === 415 || status === 422)
    return 'Compare `mapping`, `static` or `body` with what the service wants; relay explain shows the whole request.';
  return undefined;
}
