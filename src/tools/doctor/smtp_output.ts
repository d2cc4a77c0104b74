import { ClientError, type ClientErrorCode } from '../../client_error.ts';
import type { SmtpSession } from '../../effects.ts';
import type { SmtpTarget } from '../../transports/smtp/smtp_message.ts';
import { isLoopback } from '../../url.ts';
import { connectionRemedy, date, endsSoon } from './connection.ts';
import { type Diagnosis, type Examine, failure, ok, timeoutMs, warning } from './diagnosis.ts';
import { groupBy, type PlacedOutput, places, renderWithoutFields, smtpOutputs } from './outputs.ts';
import type { World } from './world.ts';

/** Whether each SMTP server takes the relay's connection, TLS and credentials. No mail is begun. */
export const examineSmtpOutputs: Examine = ({ forms }, world) => {
  const servers = groupBy(smtpOutputs(forms), ({ target: { host, port, tls, username, password } }) =>
    JSON.stringify([host, port, tls, username?.source, password?.source]),
  );
  return Promise.all(servers.map((outputs) => server(outputs, world)));
};

async function server(
  outputs: readonly [PlacedOutput<SmtpTarget>, ...PlacedOutput<SmtpTarget>[]],
  { env, now, probeSmtp }: World,
): Promise<Diagnosis> {
  const [{ target, place }] = outputs;
  const { host, port, tls, username, password } = target;
  const subject = `${host}:${port}`;
  const login = [username, password].filter((template) => template !== undefined);
  const isSubmitted = login.some(({ fieldNames }) => fieldNames.size > 0);
  const [user = '', pass = ''] = [username, password].map((one) => one && renderWithoutFields(one, env));
  const isComplete = user !== '' && (!password || pass !== '');
  const credentials = username && !isSubmitted && isComplete ? { username: user, password: pass } : undefined;
  try {
    const session = await probeSmtp({ host, port, tls, credentials, timeoutMs });
    if (isSubmitted) {
      const says = `${howSafe(session)}; AUTH was not tried, since the credentials hold submitted values`;
      return warning(subject, says, 'Keep visitors out of username and password: use {{ env "NAME" }}.');
    }
    if (username && !isComplete) {
      const empty = user === '' ? 'username' : 'password';
      const says = `${howSafe(session)}; AUTH was not tried: ${place}.${empty} is empty, so no mail is sent`;
      return failure(subject, says, `Set ${variables(login) || `the ${empty}`}.`);
    }
    const says = `${howSafe(session)}${credentials ? ', AUTH accepted' : ', no AUTH configured'}; no mail was begun`;
    if (endsSoon(session.certificateUntil, now())) {
      return warning(subject, `${says}. The certificate ends soon`, 'See that it is renewed in time.');
    }
    if (!session.isSecure && !isLoopback(host)) {
      const remedy = 'Use a server or port with TLS (587 with STARTTLS, or 465), then tls: required.';
      return warning(subject, `${says}. Submissions travel in the clear`, remedy);
    }
    return ok(subject, says);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, code } = error;
    return failure(subject, `${message} (${places(outputs)})`, remedy(code, target, variables(login)));
  }
}

const howSafe = ({ isSecure, certificateUntil }: SmtpSession) =>
  isSecure
    ? `connected with TLS${certificateUntil === undefined ? '' : ` (certificate until ${date(certificateUntil)})`}`
    : 'connected without TLS';

const variables = (login: readonly { readonly envNames: ReadonlySet<string> }[]) =>
  [...new Set(login.flatMap(({ envNames }) => [...envNames]))].join(' and ');

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
