import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, ok, warning } from '@form-relay/base/finding';
import { isLoopback } from '@form-relay/base/url';
import { templateContext } from '@form-relay/core/outputs/delivery';
import type { Services, SmtpCredentials } from '@form-relay/core/services';
import type { SmtpSession } from '../smtp/line.ts';
import { accountAt, type MailAccount, secretOf } from '../smtp/mail_services.ts';
import type { SmtpServer } from '../smtp/reply.ts';
import { Connection, resolveOptions, type SmtpOptions } from '../smtp/smtp_connection.ts';
import { day, endsSoon, type Probe, type SmtpTarget } from './connection.ts';
import { oauthFor, smtpRemedy, variablesIn } from './smtp_remedy.ts';
import { type ProbedToken, probeToken, sourceOf } from './token.ts';

interface SmtpProbing extends Pick<Services, 'now' | 'env' | 'http'> {
  readonly connectSmtp: SmtpConnect;
  readonly ehloName: string | undefined;
}

/** Checks that a server accepts the relay's connection, TLS and credentials, without starting a mail. */
export const smtpProbe = (services: SmtpProbing): Probe<SmtpTarget> => ({
  // Keys of extensions that a config does not use are not set.
  serverOf: ({ host, port, tls = 'opportunistic', username, password, auth = 'plain', oauth2 }) =>
    JSON.stringify([host, port, tls, username?.source, password?.source, auth, sourceOf(oauth2)]),
  examine: async (target, timeoutMs) => {
    const deadline = services.now() + timeoutMs;
    const tokens = await tokensOf(target, timeoutMs, services);
    const leftMs = tokens ? Math.max(leastMs, Math.min(timeoutMs, deadline - services.now())) : timeoutMs;
    const visit = await visited(target, leftMs, tokens?.token, services);
    return [...loginOf(target, services), ...(tokens ? [tokens.finding] : []), visit];
  },
});

/** The least time for the mail server, however long the token took. */
const leastMs = 1_000;

async function tokensOf(
  { auth, oauth2 }: SmtpTarget,
  timeoutMs: number,
  services: SmtpProbing,
): Promise<ProbedToken | undefined> {
  if (auth !== 'oauth2' || !oauth2) return undefined;
  const context = templateContext('', new Map(), 0, services);
  return probeToken(() => oauth2.grantOf(context), timeoutMs, services, true);
}

/** Checks a login against the rules of its mail provider, without logging in. */
function loginOf(target: SmtpTarget, context: SmtpProbing): readonly Finding[] {
  const account = accountAt(target.host);
  if (!account) return [];
  const { title, username, secret } = account;
  const wants = `requires ${username.is} as username, and ${secretOf(account)}`;
  const doubt = doubtAbout(target, account, context);
  return [
    doubt
      ? warning(title, doubt.says, doubt.remedy ?? `${title} ${wants}: ${secret.from}.`)
      : ok(title, wants),
  ];
}

function doubtAbout(
  { username, password, auth }: SmtpTarget,
  account: MailAccount,
  { ehloName, env }: SmtpProbing,
): Pick<Finding, 'says' | 'remedy'> | undefined {
  const { title, wantsOAuth, wantsEhloName, takesNoLogin } = account;
  if (wantsEhloName && ehloName === undefined) {
    const says = `without SMTP_EHLO_NAME, ${title} closes the connection (421 4.7.0)`;
    return { says, remedy: 'Set SMTP_EHLO_NAME to one of your host names, such as forms.example.com.' };
  }
  if (!username)
    return takesNoLogin ? undefined : { says: 'no username is set, and the server requires one' };
  if (auth === 'oauth2') return undefined;
  if (wantsOAuth) {
    const says = 'the server accepts passwords only if an administrator allows them';
    return { says, remedy: `${title} requires OAuth: see relay init --mail microsoft365.` };
  }
  if (username.isSubmitted || password?.isSubmitted) return undefined;
  const rendered = templateContext('', new Map(), 0, { env });
  const login = [username, password].map((part) => part?.render(rendered) ?? '');
  // Another check reports unset variables.
  return login.includes('') ? { says: 'the username or the password is empty' } : undefined;
}

async function visited(
  target: SmtpTarget,
  timeoutMs: number,
  token: string | undefined,
  services: SmtpProbing,
): Promise<Finding> {
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
  /** The diagnosis, if there was no attempt to log in. */
  readonly untried?: (subject: string, how: string) => Finding;
  /** The variables of the login, for people. */
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
      const says = `${how}; AUTH was not tried, because the credentials contain submitted values`;
      return warning(
        subject,
        says,
        'Remove submitted values from username and password: use {{ env "NAME" }}.',
      );
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
    ok(subject, `${how}; AUTH was not tried, because there is no token`);
  return { variables, untried };
}

/** Judges a session that is ready to accept a mail. */
function judge(
  subject: string,
  host: string,
  session: SmtpSession,
  { credentials }: LoginNow,
  now: number,
): Finding {
  const auth = credentials ? 'AUTH accepted' : 'no AUTH configured';
  const says = `${howSafe(session)}, ${auth}; no mail was sent`;
  if (endsSoon(session.certificateUntil, now)) {
    return warning(
      subject,
      `${says}. The certificate expires soon`,
      'Renew the certificate before it expires, or ask the operator of the server.',
    );
  }
  if (!session.isSecure && !isLoopback(host)) {
    const remedy = 'Use a server or port with TLS (587 with STARTTLS, or 465), then tls: required.';
    return warning(subject, `${says}. Submissions are sent unencrypted`, remedy);
  }
  const soon = credentials && soonRefused(host, 'token' in credentials);
  return soon ? warning(subject, `${says}. ${soon[0]}`, soon[1]) : ok(subject, says);
}

const howSafe = ({ isSecure, certificateUntil }: SmtpSession) =>
  isSecure
    ? `connected with TLS${certificateUntil === undefined ? '' : ` (certificate until ${day(certificateUntil)})`}`
    : 'connected without TLS';

/** Opens a session as for a delivery, then quits. Rejects with a `ClientError`. */
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

/** A warning about a login that works now, but will be refused in the future. */
function soonRefused(host: string, isToken: boolean): readonly [says: string, remedy: string] | undefined {
  const account = accountAt(host);
  if (isToken || !account?.wantsOAuth) return undefined;
  return [
    `${account.title} accepts passwords only while they are enabled for the account`,
    oauthFor(account),
  ];
}
