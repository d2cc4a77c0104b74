import { failed, type SmtpMechanism } from '../../base/client_error.ts';
import type { SmtpCredentials } from '../../base/effects.ts';
import { isLoopback } from '../../base/url.ts';
import type { Dialogue, SmtpServer } from './dialogue.ts';
import { isDone, type Reply } from './reply.ts';
import { loginRefusal } from './smtp_failure.ts';

/** The mechanisms that a server offers, and those that it offered before TLS began. */
interface Offered {
  readonly now: readonly string[];
  readonly before: readonly string[];
}

/**
 * A password or a token goes over TLS, or to a server on this machine (D17), and by no other mechanism than the one that
 * is meant for it. Throws a `ClientError`.
 */
export async function logIn(
  dialogue: Dialogue,
  server: SmtpServer,
  credentials: SmtpCredentials,
  offered: Offered,
): Promise<void> {
  const { host } = server;
  const isToken = 'token' in credentials;
  // A name alone can lie: not every system keeps those under `.localhost` out of the DNS.
  const isHere = isLoopback(host) && isLoopback(dialogue.remoteAddress);
  if (!dialogue.isSecure && !isHere) throw failed('no_starttls_for_login', { isToken });
  const broken = brokenKey(credentials);
  if (broken !== undefined) throw failed('login_broken', { key: broken });
  const wanted = isToken ? byToken : [credentials.mechanism ?? 'PLAIN'];
  const mechanism = wanted.find((name) => offered.now.includes(name));
  if (mechanism === undefined) {
    const isOnlyBefore = offered.now.length === 0 && offered.before.length > 0;
    throw failed('no_auth', { wanted, offered: offered.now, isOnlyBefore });
  }
  const reply = isToken
    ? await showToken(dialogue, server, mechanism, credentials)
    : await sayPassword(dialogue, mechanism, credentials);
  if (!isDone(reply)) throw loginRefusal(reply, host, isToken);
}

/** What could be read as more than itself: ^A ends a name that a token follows, and NUL one that a password follows. */
function brokenKey(credentials: SmtpCredentials): 'username' | 'password' | undefined {
  const { username } = credentials;
  if ('token' in credentials) return /[\0-\x1f\x7f]/.test(username) ? 'username' : undefined;
  if (username.includes('\0')) return 'username';
  return credentials.password.includes('\0') ? 'password' : undefined;
}

/** The mechanisms in the lines of an answer to EHLO: names, and nothing else that a server may write there. */
export const mechanismsIn = (offers: readonly string[]): readonly string[] => {
  const names = offers.flatMap(
    (offer) => /^AUTH[ =](.*)$/i.exec(offer)?.[1]?.toUpperCase().split(/[ =]+/) ?? [],
  );
  return [...new Set(names.filter((name) => mechanismName.test(name)))].slice(0, mostNames);
};

/** RFC 4422, 3.1. */
const mechanismName = /^[A-Z\d_-]{1,20}$/;

/** More than any server has. */
const mostNames = 20;

/** The one of Google and Microsoft first: they both document it. */
const byToken: readonly SmtpMechanism[] = ['XOAUTH2', 'OAUTHBEARER'];

/** PLAIN is RFC 4616. LOGIN, which was never more than a draft, asks for the name and then for the password. */
async function sayPassword(
  dialogue: Dialogue,
  mechanism: SmtpMechanism,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Reply> {
  if (mechanism === 'PLAIN') return dialogue.ask(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`);
  let reply = await dialogue.ask('AUTH LOGIN');
  for (const said of [username, password]) {
    if (!isChallenge(reply)) break;
    reply = await dialogue.ask(base64(said));
  }
  return reply;
}

/** XOAUTH2 is Google's, OAUTHBEARER is RFC 7628. */
async function showToken(
  dialogue: Dialogue,
  { host, port }: SmtpServer,
  mechanism: SmtpMechanism,
  { username, token }: { readonly username: string; readonly token: string },
): Promise<Reply> {
  const isStandard = mechanism === 'OAUTHBEARER';
  // RFC 5801, 4: a comma would end the name.
  const name = username.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const who = isStandard ? `n,a=${name},\x01host=${host}\x01port=${port}` : `user=${username}`;
  const shown = base64(`${who}\x01auth=Bearer ${token}\x01\x01`);
  const command = `AUTH ${mechanism} ${shown}`;
  let reply: Reply;
  if (command.length <= longestCommand) {
    reply = await dialogue.ask(command);
  } else {
    reply = await dialogue.ask(`AUTH ${mechanism}`);
    if (!isChallenge(reply)) return reply;
    reply = await dialogue.ask(shown);
  }
  // The server says why it refuses the token, in JSON that nobody needs, and waits to be told that it was heard.
  return isChallenge(reply) ? dialogue.ask(isStandard ? base64('\x01') : '') : reply;
}

/** RFC 4954, 4: what would make it longer is said when the server asks for it. Without the CRLF. */
const longestCommand = 510;

const isChallenge = ({ code }: Reply): boolean => code === '334';

const base64 = (text: string) => Buffer.from(text).toString('base64');
