import type { ClientError } from '@form-relay/base/client_error';
import type { Template } from '@form-relay/schema/template';
import { accountAt, type MailAccount, secretOf, serviceOfHost } from '../smtp/mail_services.ts';
import { beginsWithTls, type SmtpFailure } from '../smtp/reply.ts';
import { connectionRemedy, type SmtpTarget } from './connection.ts';

/** The variables that these templates read, as text. */
export const variablesIn = (templates: readonly Template[]): string =>
  [...new Set(templates.flatMap(({ envNames }) => [...envNames]))].join(' and ');

/**
 * The owner's remedy for a failed session, in the words of a known provider.
 *
 * @param variables The variables of the login, as text: `SMTP_USER and SMTP_PASSWORD`. May be empty.
 */
export function smtpRemedy(
  error: ClientError,
  { host, port, tls }: Pick<SmtpTarget, 'host' | 'port' | 'tls'>,
  variables: string,
): string {
  switch (error.code) {
    case 'login_refused': {
      const { reply, isToken } = error.params as SmtpFailure<'login_refused'>;
      if (error.retryAfterMs !== undefined) return later;
      return isToken ? tokenRemedy(host, reply) : passwordRemedy(host, variables);
    }
    case 'no_auth': {
      const { wanted, offered } = error.params as SmtpFailure<'no_auth'>;
      if (wanted === 'PLAIN' && offered.includes('LOGIN')) {
        const account = accountAt(host);
        return account?.wantsOAuth
          ? `${oauthFor(account)} If passwords are still allowed, set auth: login.`
          : 'Set auth: login.';
      }
      return wanted === 'XOAUTH2' && offered.length > 0
        ? 'This server accepts only passwords: remove auth and oauth2, and set a password.'
        : 'Use an `auth` that the server offers, or its submission port (587 or 465).';
    }
    case 'login_broken':
      return `Correct ${variables || (error.params as SmtpFailure<'login_broken'>).key}.`;
    case 'no_starttls':
    case 'no_starttls_for_login':
      return 'Use a port with TLS (587 or 465), or a server that offers it.';
    case 'not_smtp':
      return `Check that ${host} speaks SMTP on port ${port}.`;
    case 'tls_failed':
      return beginsWithTls({ port, tls })
        ? connectionRemedy(error.code, host, port)
        : `${host} offers STARTTLS, but the handshake fails: ask its operator, or try port 465.`;
    case 'smtp_refused':
    case 'turned_away':
    case 'closed':
      return turnedAwayRemedy(error, { host, port, tls });
    case 'timed_out':
      return (error.params as SmtpFailure<'timed_out'>).mayWantTls
        ? `If port ${port} uses TLS from the start, set tls: implicit. ${connectionRemedy(error.code, host, port)}`
        : connectionRemedy(error.code, host, port);
    default:
      return connectionRemedy(error.code, host, port);
  }
}

const later = 'This may be temporary: try again later.';

/** The remedy if the server rejects this machine, temporarily or permanently. */
function turnedAwayRemedy(
  { code, params, retryAfterMs }: ClientError,
  { host, port, tls }: Pick<SmtpTarget, 'host' | 'port' | 'tls'>,
): string {
  const { before, reply } = params as SmtpFailure<'closed'>;
  const isAboutName = code === 'closed' && before === 'ehlo';
  if (isAboutName && accountAt(host)?.wantsEhloName)
    return `Set SMTP_EHLO_NAME to one of your host names: ${host} rejects other names.`;
  const whom = `the operator of ${host} whether the server accepts mail from this machine.`;
  const ask = `Ask ${whom}`;
  if (retryAfterMs !== undefined && reply !== undefined)
    return `${later} If the problem remains, ask ${whom}`;
  return before === 'greeting' && !beginsWithTls({ port, tls })
    ? `${ask} If port ${port} uses TLS from the start, set tls: implicit.`
    : ask;
}

function passwordRemedy(host: string, variables: string): string {
  const which = variables || 'username and password';
  const check = `Check ${which}.`;
  const account = accountAt(host);
  if (!account) {
    return `${check} Some providers require an app password or an API key instead of the account's password.`;
  }
  if (account.wantsOAuth) return `${oauthFor(account)} If passwords are still allowed, check ${which}.`;
  const { username, secret, title } = account;
  return `${check} ${title} requires ${username.is}, and ${secretOf(account)}: ${secret.from}.`;
}

export const oauthFor = ({ title }: MailAccount) =>
  `${title} requires OAuth: add auth: oauth2 and an oauth2 block, as in relay init --mail.`;

function tokenRemedy(host: string, reply: string): string {
  if (reply.endsWith(' 5.7.139')) {
    return 'Allow it for the mailbox: Microsoft 365 admin center, the user, Mail, Manage email apps, Authenticated SMTP. Or in Exchange Online PowerShell: Set-CASMailbox -SmtpClientAuthenticationDisabled $false. Security defaults turn it off for everyone.';
  }
  switch (serviceOfHost(host)?.name) {
    case 'Microsoft':
      return "The app needs three things: the application permission SMTP.SendAsApp of Office 365 Exchange Online, with an administrator's consent; a service principal in Exchange (New-ServicePrincipal, with the object ID from Enterprise applications, not App registrations); and the mailbox that username names (Add-MailboxPermission -AccessRights FullAccess). scope must be https://outlook.office365.com/.default.";
    case 'Google':
      return 'scope must be https://mail.google.com/ (a narrower scope does not work for SMTP), and username must be the address of the person who gave consent, or the subject of the service account.';
    default:
      return 'Check that scope allows sending mail by SMTP, and that username is the mailbox of the token.';
  }
}
