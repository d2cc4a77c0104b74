import { isIPv6 } from 'node:net';
import { isLoopback } from '@form-relay/base/url';
import type { SmtpCredentials } from '@form-relay/core/services';
import type { Line } from './line.ts';
import {
  beginsWithTls,
  failed,
  isDone,
  loginRefusal,
  type Reply,
  refusal,
  type SmtpMechanism,
  type SmtpServer,
} from './reply.ts';

/** The extensions in the server's reply to EHLO, and the number of mails that a connection may carry. */
export interface Extensions {
  /** Whether the envelope may be sent without waiting for each reply (RFC 2920). */
  readonly pipelining: boolean;
  /** The size limit, or 0 if the server states none; `undefined` if the server does not want to know the size (RFC 1870). */
  readonly size: number | undefined;
  /** Whether addresses and headers may be in UTF-8 (RFC 6531). */
  readonly smtputf8: boolean;
  readonly mostMails: number;
}

/**
 * Opens a session for mails: greeting, EHLO, TLS, AUTH (RFC 5321, 3.1 and 3.2; RFC 3207; RFC 4954). Throws a
 * `ClientError`.
 *
 * @param ehloName This machine's name. Default: its address.
 */
export async function openSession(
  line: Line,
  server: SmtpServer,
  ehloName: string | undefined,
): Promise<Extensions> {
  if (beginsWithTls(server)) await line.secure();
  const greeting = await line.ask();
  if (greeting.code !== '220') throw refusal('CONN', greeting);
  const name = ehloName ?? addressLiteral(line.localAddress);
  let offers = await introduce(line, name);
  if (!line.isSecure && offers.some((offer) => /^STARTTLS\b/i.test(offer))) {
    const reply = await line.ask('STARTTLS');
    if (reply.code !== '220') throw refusal('STARTTLS', reply);
    await line.secure();
    // Offers made before TLS may be forged (RFC 3207, 4.2).
    offers = await introduce(line, name);
  }
  if (!line.isSecure && server.tls === 'required') throw failed('no_starttls');
  const { credentials } = server;
  if (credentials) await logIn(line, server, credentials, mechanismsIn(offers));
  return extensions(offers, greeting);
}

/** Resolves with the server's offers, which are empty if it supports only HELO. */
async function introduce(line: Line, name: string): Promise<readonly string[]> {
  const ehlo = await line.ask(`EHLO ${name}`);
  if (isDone(ehlo)) return ehlo.lines;
  const helo = await line.ask(`HELO ${name}`);
  if (isDone(helo)) return [];
  throw refusal('HELO', helo);
}

function extensions(offers: readonly string[], greeting: Reply): Extensions {
  const [size] = offers.flatMap((offer) => {
    const [all, most] = /^SIZE(?:[ =](\d+))?$/i.exec(offer) ?? [];
    return all === undefined ? [] : Number(most ?? 0);
  });
  const pipelining = offers.some((offer) => /^PIPELINING$/i.test(offer));
  const smtputf8 = offers.some((offer) => /^SMTPUTF8$/i.test(offer));
  return { pipelining, size, smtputf8, mostMails: mostMails(greeting) };
}

/**
 * The maximum of mails per connection. Exim delivers the first ten at once and leaves the others to its next queue run
 * (`smtp_accept_queue_per_connection`), half an hour later on Debian. Other servers have no such limit by default.
 */
const mostMails = (greeting: Reply): number => (greeting.lines.some((line) => exim.test(line)) ? 10 : 1_000);

/** Matches `exim` as a word, but not inside a host name. */
const exim = /(?:^|[\s(])exim\b(?![.-][a-z\d])/i;

/** The address by which a machine without a name introduces itself (RFC 5321, 4.1.3 and 4.1.4). */
function addressLiteral(address: string): string {
  // Handles `::ffff:192.0.2.1` of an IPv6 socket that uses IPv4, and `fe80::1%eth0`.
  const plain = address.replace(/^::ffff:(?=.*\.)/i, '').replace(/%.*$/, '');
  return isIPv6(plain) ? `[IPv6:${plain}]` : `[${plain}]`;
}

/** Logs in. Sends a password or a token only over TLS or to this machine. Throws a `ClientError`. */
async function logIn(
  line: Line,
  { host }: SmtpServer,
  credentials: SmtpCredentials,
  offered: readonly string[],
): Promise<void> {
  const isToken = 'token' in credentials;
  // The name alone is not enough, because some systems look up names under `.localhost` in the DNS.
  const isHere = isLoopback(host) && isLoopback(line.remoteAddress);
  if (!line.isSecure && !isHere) throw failed('no_starttls_for_login', { isToken });
  const broken = brokenKey(credentials);
  if (broken !== undefined) throw failed('login_broken', { key: broken });
  const { mechanism: wanted, command, responses } = dialogueFor(credentials);
  if (!offered.includes(wanted)) throw failed('no_auth', { wanted, offered });
  let reply = await line.ask(command);
  for (const response of responses) if (reply.code === '334') reply = await line.ask(response);
  if (!isDone(reply)) throw loginRefusal(reply, isToken);
}

/** The credential that contains a separator of the login: ^A ends the name before a token, and NUL the name before a password. */
function brokenKey(credentials: SmtpCredentials): 'username' | 'password' | undefined {
  const { username } = credentials;
  if ('token' in credentials) return /[\0-\x1f\x7f]/.test(username) ? 'username' : undefined;
  if (username.includes('\0')) return 'username';
  return credentials.password.includes('\0') ? 'password' : undefined;
}

/** The mechanisms in a reply to EHLO, without anything that is not a valid name. */
const mechanismsIn = (offers: readonly string[]): readonly string[] => {
  const names = offers.flatMap(
    (offer) => /^AUTH[ =](.*)$/i.exec(offer)?.[1]?.toUpperCase().split(/[ =]+/) ?? [],
  );
  return [...new Set(names.filter((name) => mechanismName.test(name)))].slice(0, mostNames);
};

/** A mechanism's name (RFC 4422, 3.1). */
const mechanismName = /^[A-Z\d_-]{1,20}$/;

/** More mechanisms than any server offers. */
const mostNames = 20;

interface Dialogue {
  readonly mechanism: SmtpMechanism;
  readonly command: string;
  /** The responses, in the order of the challenges. */
  readonly responses: readonly string[];
}

function dialogueFor(credentials: SmtpCredentials): Dialogue {
  const { username } = credentials;
  if ('token' in credentials) {
    const shown = base64(`user=${username}\x01auth=Bearer ${credentials.token}\x01\x01`);
    // This mechanism is Google's. Tokens may be too long for a command. The second challenge explains why the token was refused.
    return { mechanism: 'XOAUTH2', command: 'AUTH XOAUTH2', responses: [shown, ''] };
  }
  const { password, mechanism = 'PLAIN' } = credentials;
  // LOGIN was never standardized; the server asks for the name and then for the password.
  if (mechanism === 'LOGIN')
    return { mechanism, command: 'AUTH LOGIN', responses: [base64(username), base64(password)] };
  const response = base64(`\0${username}\0${password}`);
  // The response is sent with the command (RFC 4616). Some servers ignore it and then ask for it.
  return { mechanism, command: `AUTH PLAIN ${response}`, responses: [response] };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
