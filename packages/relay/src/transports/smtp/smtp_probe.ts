import { ClientError } from '../../base/client_error.ts';
import { type Diagnosis, failure, ok, warning } from '../../base/diagnosis.ts';
import type { Effects, SmtpCredentials } from '../../base/effects.ts';
import { isLoopback } from '../../base/url.ts';
import { scopeOf } from '../../schema/template/scope.ts';
import { day, endsSoon } from '../certificate.ts';
import { type ProbedToken, probeToken, sourceOf } from '../oauth2/token_probe.ts';
import type { Probe } from '../transport.ts';
import type { SmtpSession } from './connection.ts';
import type { SmtpTarget } from './smtp_message.ts';
import { smtpRemedy, soonRefused } from './smtp_remedy.ts';
import type { SmtpVisit } from './smtp_visit.ts';

type ProbeEffects = { visitSmtp: SmtpVisit } & Pick<Effects, 'now' | 'env' | 'http'>;

/** Whether a server takes the relay's connection, TLS and credentials. No mail is begun. */
export const smtpProbe = (effects: ProbeEffects): Probe<SmtpTarget> => ({
  serverOf: ({ host, port, tls, username, password, auth, oauth2 }) =>
    JSON.stringify([host, port, tls, username?.source, password?.source, auth, sourceOf(oauth2)]),
  look: async (target, timeoutMs) => {
    const deadline = effects.now() + timeoutMs;
    const tokens = await tokensOf(target, timeoutMs, effects);
    const leftMs = tokens ? Math.max(leastMs, Math.min(timeoutMs, deadline - effects.now())) : timeoutMs;
    const all = [tokens?.diagnosis, await visited(target, leftMs, tokens?.token, effects)];
    return all.filter((one) => one !== undefined);
  },
});

/** For the mail server, however long the token took. */
const leastMs = 1_000;

async function tokensOf(
  { auth, oauth2 }: SmtpTarget,
  timeoutMs: number,
  effects: ProbeEffects,
): Promise<ProbedToken | undefined> {
  if (auth !== 'oauth2' || !oauth2) return undefined;
  const scope = scopeOf('', { values: new Map(), receivedAt: 0 }, effects);
  return probeToken(() => oauth2.grantOf(scope), timeoutMs, effects, true);
}

async function visited(
  target: SmtpTarget,
  timeoutMs: number,
  token: string | undefined,
  effects: ProbeEffects,
): Promise<Diagnosis> {
  const { host, port, tls } = target;
  const subject = `${host}:${port}`;
  const login = loginNow(target, token, effects);
  try {
    const { credentials } = login;
    const session = await effects.visitSmtp({ host, port, tls, timeoutMs, credentials });
    return login.untried?.(subject, howSafe(session)) ?? judge(subject, host, session, login, effects.now());
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(subject, error.message, smtpRemedy(error, target, login.variables));
  }
}

interface LoginNow {
  readonly credentials?: SmtpCredentials | undefined;
  /** Why it is not tried, where there is one. */
  readonly untried?: (subject: string, how: string) => Diagnosis;
  /** The variables in it, for people. */
  readonly variables: string;
}

function loginNow(
  { username, password, auth }: SmtpTarget,
  token: string | undefined,
  effects: Pick<Effects, 'env'>,
): LoginNow {
  const parts = [username, password].filter((template) => template !== undefined);
  const variables = [...new Set(parts.flatMap(({ envNames }) => [...envNames]))].join(' and ');
  if (!username) return { variables };
  if (parts.some((template) => template.isSubmitted)) {
    const untried = (subject: string, how: string) => {
      const says = `${how}; AUTH was not tried, since the credentials hold submitted values`;
      return warning(subject, says, 'Keep visitors out of username and password: use {{ env "NAME" }}.');
    };
    return { variables, untried };
  }
  const scope = scopeOf('', { values: new Map(), receivedAt: 0 }, effects);
  const user = username.render(scope);
  const pass = password?.render(scope) ?? '';
  if (user.trim() === '' || (password && pass === '')) {
    const empty = user.trim() === '' ? 'username' : 'password';
    const untried = (subject: string, how: string) => {
      const says = `${how}; AUTH was not tried: ${empty} is empty, so no mail is sent`;
      return failure(subject, says, `Set ${variables || `the ${empty}`}.`);
    };
    return { variables, untried };
  }
  if (auth !== 'oauth2') {
    const mechanism = auth === 'login' ? 'LOGIN' : 'PLAIN';
    return { variables, credentials: { username: user, password: pass, mechanism } };
  }
  if (token !== undefined) return { variables, credentials: { username: user.trim(), token } };
  const untried = (subject: string, how: string) =>
    ok(subject, `${how}; AUTH was not tried, since there is no token`);
  return { variables, untried };
}

/** A session that could have taken a mail. */
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
