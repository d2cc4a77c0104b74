import type { ClientError, Params } from '../../client_error.ts';
import { connectionRemedy } from '../connection_remedy.ts';
import { accountAt, type MailAccount, serviceOfHost } from './mail_services.ts';
import type { SmtpTarget } from './smtp_message.ts';

/** What the owner can do about a server that took no session, in the words of the provider where it is a known one. */
export function smtpRemedy(error: ClientError, { host, port }: SmtpTarget, variables: string): string {
  switch (error.code) {
    case 'login_refused': {
      const { reply, isToken } = error.params as Params<'login_refused'>;
      if (error.retryAfterMs !== undefined) return 'That may pass: ask again in a while.';
      return isToken ? tokenRemedy(host, reply) : passwordRemedy(host, variables);
    }
    case 'no_auth':
      return authRemedy(error.params as Params<'no_auth'>, host);
    case 'no_starttls':
    case 'no_starttls_for_login':
      return 'Use a port with TLS (587 or 465), or a server that offers it.';
    case 'not_smtp':
      return `Check that ${host} speaks SMTP on port ${port}.`;
    case 'smtp_refused':
    case 'turned_away':
    case 'closed': {
      if (accountAt(host)?.wantsEhloName && isAboutName(error)) {
        return `Set SMTP_EHLO_NAME to a name of yours in the DNS: ${host} hangs up on clients that are called otherwise.`;
      }
      const ask = `Ask whoever runs ${host} whether it takes mail from this machine.`;
      return isAboutName(error)
        ? `${ask} It may not like the name that the relay gives itself: SMTP_EHLO_NAME is another.`
        : `${ask} Only port 465 may speak TLS from the first byte.`;
    }
    default:
      return connectionRemedy(error.code, host, port);
  }
}

/** The server left, or refused to go on, when the relay had introduced itself. */
function isAboutName({ code, params }: ClientError): boolean {
  if (code === 'closed') return (params as Params<'closed'>).before === 'ehlo';
  return code === 'smtp_refused' && ['EHLO', 'HELO'].includes((params as Params<'smtp_refused'>).command);
}

function authRemedy({ wanted, offered, isOnlyBefore }: Params<'no_auth'>, host: string): string {
  if (isOnlyBefore) return `Ask whoever runs ${host} to offer AUTH with TLS, too. Port 465 may have it.`;
  const offersToken = offered.some((name) => name === 'XOAUTH2' || name === 'OAUTHBEARER');
  if (wanted.includes('XOAUTH2')) {
    return offered.length > 0
      ? 'This server takes passwords alone: leave out auth and oauth2, and give it a password.'
      : 'Use the port for submission (587 or 465).';
  }
  if (wanted.includes('PLAIN') && offered.includes('LOGIN')) {
    const account = accountAt(host);
    return account?.wantsOAuth
      ? `${oauthFor(account)} Where passwords are still allowed: auth: login.`
      : 'Write auth: login.';
  }
  if (wanted.includes('LOGIN') && offered.includes('PLAIN'))
    return 'Leave out auth: the server offers PLAIN.';
  if (offersToken) return 'This server takes access tokens: write auth: oauth2, and an oauth2 block.';
  return 'Use the port for submission (587 or 465), or leave out username.';
}

function passwordRemedy(host: string, variables: string): string {
  const check = `Check ${variables || 'username and password'}.`;
  const account = accountAt(host);
  if (!account) {
    return `${check} Some providers want an app password or an API key instead of the account's password.`;
  }
  if (account.wantsOAuth) return `${oauthFor(account)} Where passwords are still allowed: ${check}`;
  const { username, secret, title } = account;
  return `${check} ${title} wants ${username.is}, and ${secret.is}: ${secret.from}.`;
}

/** What is about to go wrong with a login that the server took. */
export function soonRefused(
  host: string,
  isToken: boolean,
): readonly [says: string, remedy: string] | undefined {
  const account = accountAt(host);
  if (isToken || !account?.wantsOAuth) return undefined;
  return [`${account.title} takes a password only as long as it is allowed there`, oauthFor(account)];
}

const oauthFor = ({ title }: MailAccount) =>
  `${title} wants OAuth: write auth: oauth2 and an oauth2 block, as relay init --mail shows it.`;

function tokenRemedy(host: string, reply: string): string {
  if (reply.endsWith(' 5.7.139')) {
    return 'Allow it for the mailbox: Microsoft 365 admin center, the user, Mail, Manage email apps, Authenticated SMTP. Or in Exchange Online PowerShell: Set-CASMailbox -SmtpClientAuthenticationDisabled $false. Security defaults turn it off for everybody.';
  }
  switch (serviceOfHost(host)?.name) {
    case 'Microsoft':
      return "The app needs three things: the application permission SMTP.SendAsApp of Office 365 Exchange Online, with an administrator's consent; a service principal in Exchange (New-ServicePrincipal, with the object ID that stands under Enterprise applications, not under App registrations); and the mailbox that username names (Add-MailboxPermission -AccessRights FullAccess). scope must be https://outlook.office365.com/.default.";
    case 'Google':
      return 'scope must be https://mail.google.com/ (a narrower one does not do for SMTP), and username the address that the token is for: who gave consent, or the subject of the service account.';
    default:
      return 'Check that scope lets the token send mail by SMTP, and that username is the one that it is for.';
  }
}
