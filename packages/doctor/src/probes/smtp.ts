import { ClientError } from '@form-relay/base/client_error';
import { isLoopback } from '@form-relay/base/url';
import type { SmtpFailure } from '@form-relay/clients/smtp/failures';
import type { SmtpSession } from '@form-relay/clients/smtp/line';
import { beginsWithTls, type SmtpServer } from '@form-relay/clients/smtp/reply';
import { Connection } from '@form-relay/clients/smtp/smtp_connection';
import { resolveOptions, type SmtpOptions } from '@form-relay/clients/smtp/smtp_options';
import { templateContext } from '@form-relay/core/outputs/template_context';
import type { Services, SmtpCredentials } from '@form-relay/core/services';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import { accountAt, type MailAccount, secretOf, serviceOfHost } from '@form-relay/mail-dns/mail_services';
import type { Template } from '@form-relay/schema/template';
import { connectionRemedy, day, endsSoon, type Probe, type SmtpTarget } from './connection.ts';
import { type ProbedToken, probeToken, sourceOf } from './token.ts';

type DoctorContext = { connectSmtp: SmtpConnect } & Pick<Services, 'now' | 'env' | 'http'>;

/** Checks that a server takes the relay's connection, TLS and credentials, without beginning a mail. */
export const smtpProbe = (services: DoctorContext): Probe<SmtpTarget> => ({
  // Keys of extensions that a config does not use are absent.
  serverOf: ({ host, port, tls = 'opportunistic', username, password, auth = 'plain', oauth2 }) =>
    JSON.stringify([host, port, tls, username?.source, password?.source, auth, sourceOf(oauth2)]),
  examine: async (target, timeoutMs) => {
    const deadline = services.now() + timeoutMs;
    const tokens = await tokensOf(target, timeoutMs, services);
    const leftMs = tokens ? Math.max(leastMs, Math.min(timeoutMs, deadline - services.now())) : timeoutMs;
    const all = [tokens?.diagnosis, await visited(target, leftMs, tokens?.token, services)];
    return all.filter((one) => one !== undefined);
  },
});

/** The mail server's time, however long the token took. */
const leastMs = 1_000;

async function tokensOf(
  { auth, oauth2 }: SmtpTarget,
  timeoutMs: number,
  services: DoctorContext,
): Promise<ProbedToken | undefined> {
  if (auth !== 'oauth2' || !oauth2) return undefined;
  const context = templateContext('', new Map(), 0, services);
  return probeToken(() => oauth2.grantOf(context), timeoutMs, services, true);
}

async function visited(
  target: SmtpTarget,
  timeoutMs: number,
  token: string | undefined,
  services: DoctorContext,
): Promise<Diagnosis> {
  const { host, port, tls } = target;
  const subject = `${host}:${port}`;
  const login = loginNow(target, token, services);
  try {
    const { credentials } = login;
    const session = await services.connectSmtp({ host, port, tls, timeoutMs, credentials });
    return login.untried?.(subject, howSafe(session)) ?? judge(subject, host, session, login, services.now());
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(subject, error.message, smtpRemedy(error, target, login.variables));
  }
}

interface LoginNow {
  readonly credentials?: SmtpCredentials | undefined;
  /** The diagnosis instead of an attempt to log in. */
  readonly untried?: (subject: string, how: string) => Diagnosis;
  /** The login's variables, for people. */
  readonly variables: string;
}

function loginNow(
  { username, password, auth }: SmtpTarget,
  token: string | undefined,
  services: Pick<Services, 'env'>,
): LoginNow {
  const parts = [username, password].filter((template) => template !== undefined);
  const variables = variablesIn(parts);
  if (!username) return { variables };
  if (parts.some((template) => template.isSubmitted)) {
    const untried = (subject: string, how: string) => {
      const says = `${how}; AUTH was not tried, since the credentials hold submitted values`;
      return warning(subject, says, 'Keep visitors out of username and password: use {{ env "NAME" }}.');
    };
    return { variables, untried };
  }
  const context = templateContext('', new Map(), 0, services);
  const user = username.render(context);
  const pass = password?.render(context) ?? '';
  if (user.trim() === '' || (password && pass === '')) {
    const empty = user.trim() === '' ? 'username' : 'password';
    const untried = (subject: string, how: string) => {
      const says = `${how}; AUTH was not tried: ${empty} is empty, so no mail is sent`;
      return failure(subject, says, `Set ${variables || `the ${empty}`}.`);
    };
    return { variables, untried };
  }
  const mechanism = auth === 'login' ? 'LOGIN' : 'PLAIN';
  if (auth !== 'oauth2') return { variables, credentials: { username: user, password: pass, mechanism } };
  if (token !== undefined) return { variables, credentials: { username: user.trim(), token } };
  const untried = (subject: string, how: string) =>
    ok(subject, `${how}; AUTH was not tried, since there is no token`);
  return { variables, untried };
}

/** The variables that these templates read, for people. */
export const variablesIn = (templates: readonly Template[]): string =>
  [...new Set(templates.flatMap(({ envNames }) => [...envNames]))].join(' and ');

/** Judges a session that is ready for a mail. */
function judge(
  subject: string,
  host: string,
  session: SmtpSession,
  { credentials }: LoginNow,
  now: number,
): Diagnosis {
  const auth = credentials ? 'AUTH accepted' : 'no AUTH configured';
  const says = `${howSafe(session)}, ${auth}; no mail was begun`;
  if (endsSoon(session.certificateUntil, now)) {
    return warning(subject, `${says}. The certificate ends soon`, 'See that it is renewed in time.');
  }
  if (!session.isSecure && !isLoopback(host)) {
    const remedy = 'Use a server or port with TLS (587 with STARTTLS, or 465), then tls: required.';
    return warning(subject, `${says}. Submissions travel in the clear`, remedy);
  }
  const soon = credentials && soonRefused(host, 'token' in credentials);
  return soon ? warning(subject, `${says}. ${soon[0]}`, soon[1]) : ok(subject, says);
}

const howSafe = ({ isSecure, certificateUntil }: SmtpSession) =>
  isSecure
    ? `connected with TLS${certificateUntil === undefined ? '' : ` (certificate until ${day(certificateUntil)})`}`
    : 'connected without TLS';

/** Opens a session as a delivery does, then quits. Rejects with a `ClientError`. */
export type SmtpConnect = (server: SmtpServer) => Promise<SmtpSession>;

export function createSmtpConnect(options: SmtpOptions = {}): SmtpConnect {
  const resolved = resolveOptions(options);
  return async (server) => {
    const connection = new Connection(resolved, server);
    const timer = setTimeout(() => connection.expire(server.timeoutMs), server.timeoutMs);
    try {
      await connection.open();
      return connection.session;
    } finally {
      clearTimeout(timer);
      connection.quit();
    }
  };
}

/**
 * The owner's remedy for a failed session, in the words of a known provider.
 *
 * @param variables Those of the login, for people: `SMTP_USER and SMTP_PASSWORD`. May be empty.
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
          ? `${oauthFor(account)} Where passwords are still allowed: auth: login.`
          : 'Write auth: login.';
      }
      return wanted === 'XOAUTH2' && offered.length > 0
        ? 'This server takes passwords alone: leave out auth and oauth2, and give it a password.'
        : 'Use an `auth` that the server offers, or its port for submission (587 or 465).';
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
        : `${host} offers STARTTLS and then fails at it: ask whoever runs it. Port 465 may do better.`;
    case 'smtp_refused':
    case 'turned_away':
    case 'closed':
      return turnedAwayRemedy(error, { host, port, tls });
    case 'timed_out':
      return (error.params as SmtpFailure<'timed_out'>).mayWantTls
        ? `If port ${port} speaks TLS from the first byte: write tls: implicit. ${connectionRemedy(error.code, host, port)}`
        : connectionRemedy(error.code, host, port);
    default:
      return connectionRemedy(error.code, host, port);
  }
}

const later = 'That may pass: ask again in a while.';

/** The remedy if the server refuses this machine, for now or for good. */
function turnedAwayRemedy(
  { code, params, retryAfterMs }: ClientError,
  { host, port, tls }: Pick<SmtpTarget, 'host' | 'port' | 'tls'>,
): string {
  const { before, reply } = params as SmtpFailure<'closed'>;
  const isAboutName = code === 'closed' && before === 'ehlo';
  if (isAboutName && accountAt(host)?.wantsEhloName)
    return `Set SMTP_EHLO_NAME to a name of yours in the DNS: ${host} hangs up on clients that are called otherwise.`;
  const ask = `Ask whoever runs ${host} whether it takes mail from this machine.`;
  if (retryAfterMs !== undefined && reply !== undefined) return `${later} If it does not: ${ask}`;
  return before === 'greeting' && !beginsWithTls({ port, tls })
    ? `${ask} If port ${port} speaks TLS from the first byte: write tls: implicit.`
    : ask;
}

function passwordRemedy(host: string, variables: string): string {
  const check = `Check ${variables || 'username and password'}.`;
  const account = accountAt(host);
  if (!account) {
    return `${check} Some providers want an app password or an API key instead of the account's password.`;
  }
  if (account.wantsOAuth) return `${oauthFor(account)} Where passwords are still allowed: ${check}`;
  const { username, secret, title } = account;
  return `${check} ${title} wants ${username.is}, and ${secretOf(account)}: ${secret.from}.`;
}

/** A warning about a login that still works. */
function soonRefused(host: string, isToken: boolean): readonly [says: string, remedy: string] | undefined {
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
