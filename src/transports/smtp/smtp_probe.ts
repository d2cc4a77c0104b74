import { ClientError, type ClientErrorCode } from '../../client_error.ts';
import { type Diagnosis, failure, ok, warning } from '../../diagnosis.ts';
import type { Effects } from '../../effects.ts';
import { scopeOf } from '../../template/scope.ts';
import { isLoopback } from '../../url.ts';
import { day, endsSoon } from '../certificate.ts';
import { connectionRemedy } from '../connection_remedy.ts';
import type { Probe } from '../transport.ts';
import type { SmtpSession } from './connection.ts';
import type { SmtpTarget } from './smtp_message.ts';
import type { SmtpVisit } from './smtp_visit.ts';

/** Whether a server takes the relay's connection, TLS and credentials. No mail is begun. */
export const smtpProbe = (
  effects: { visitSmtp: SmtpVisit } & Pick<Effects, 'now' | 'env'>,
): Probe<SmtpTarget> => ({
  serverOf: ({ host, port, tls, username, password }) =>
    JSON.stringify([host, port, tls, username?.source, password?.source]),
  look: async (target, timeoutMs) => {
    const { host, port, tls, username, password } = target;
    const subject = `${host}:${port}`;
    const login = [username, password].filter((template) => template !== undefined);
    const variables = [...new Set(login.flatMap(({ envNames }) => [...envNames]))].join(' and ');
    const isSubmitted = login.some((template) => template.isSubmitted);
    const scope = scopeOf('', { values: new Map(), receivedAt: 0 }, effects);
    const user = username?.render(scope) ?? '';
    const pass = password?.render(scope) ?? '';
    const isComplete = user !== '' && (!password || pass !== '');
    const credentials = username && !isSubmitted && isComplete && { username: user, password: pass };
    try {
      const session = await effects.visitSmtp({
        ...{ host, port, tls, timeoutMs },
        ...(credentials && { credentials }),
      });
      if (isSubmitted) {
        const says = `${howSafe(session)}; AUTH was not tried, since the credentials hold submitted values`;
        return [warning(subject, says, 'Keep visitors out of username and password: use {{ env "NAME" }}.')];
      }
      if (username && !isComplete) {
        const empty = user === '' ? 'username' : 'password';
        const says = `${howSafe(session)}; AUTH was not tried: ${empty} is empty, so no mail is sent`;
        return [failure(subject, says, `Set ${variables || `the ${empty}`}.`)];
      }
      return [judge(subject, host, session, credentials !== undefined, effects.now())];
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return [failure(subject, error.message, remedy(error.code, target, variables))];
    }
  },
});

/** A session that could have taken a mail. */
function judge(
  subject: string,
  host: string,
  session: SmtpSession,
  isLoggedIn: boolean,
  now: number,
): Diagnosis {
  const auth = isLoggedIn ? 'AUTH accepted' : 'no AUTH configured';
  const says = `${howSafe(session)}, ${auth}; no mail was begun`;
  if (endsSoon(session.certificateUntil, now)) {
    return warning(subject, `${says}. The certificate ends soon`, 'See that it is renewed in time.');
  }
  if (!session.isSecure && !isLoopback(host)) {
    const remedy = 'Use a server or port with TLS (587 with STARTTLS, or 465), then tls: required.';
    return warning(subject, `${says}. Submissions travel in the clear`, remedy);
  }
  return ok(subject, says);
}

const howSafe = ({ isSecure, certificateUntil }: SmtpSession) =>
  isSecure
    ? `connected with TLS${certificateUntil === undefined ? '' : ` (certificate until ${day(certificateUntil)})`}`
    : 'connected without TLS';

function remedy(code: ClientErrorCode, { host, port }: SmtpTarget, variables: string): string {
  switch (code) {
    case 'login_refused': {
      const other = "Some providers want an app password or an API key instead of the account's password.";
      return `Check ${variables || 'username and password'}. ${other}`;
    }
    case 'no_auth_plain':
      return 'Use the port for submission (587 or 465), or leave out username.';
    case 'no_starttls':
    case 'no_starttls_for_password':
      return 'Use a port with TLS (587 or 465), or a server that offers it.';
    case 'not_smtp':
      return `Check that ${host} speaks SMTP on port ${port}.`;
    case 'smtp_refused':
    case 'turned_away':
    case 'closed': {
      const ask = `Ask whoever runs ${host} whether it takes mail from this machine.`;
      return `${ask} Only port 465 may speak TLS from the first byte.`;
    }
    default:
      return connectionRemedy(code, host, port);
  }
}
