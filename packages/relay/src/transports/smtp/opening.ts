import { isIPv6 } from 'node:net';
import { failed } from '../../base/client_error.ts';
import type { Dialogue, SmtpServer } from './dialogue.ts';
import { logIn, mechanismsIn } from './log_in.ts';
import { isDone } from './reply.ts';
import { refusal } from './smtp_failure.ts';

/** What a server's answer to EHLO offers, as far as mails need it. */
export interface Extensions {
  /** RFC 2920: the envelope may be sent without waiting for each answer. */
  readonly pipelining: boolean;
  /** RFC 1870: the server wants to know the size; the most that it takes, or 0 where it does not say. */
  readonly size: number | undefined;
}

/**
 * All that comes before a mail: greeting, EHLO, TLS, AUTH (RFC 5321, 3.1 and 3.2; RFC 3207; RFC 4954). Throws a
 * `ClientError`.
 *
 * @param ehloName What this machine calls itself. Default: its address.
 */
export async function openSession(
  dialogue: Dialogue,
  server: SmtpServer,
  ehloName: string | undefined,
): Promise<Extensions> {
  if (server.port === 465) await dialogue.secure();
  const greeting = await dialogue.ask();
  if (greeting.code !== '220') throw refusal('CONN', greeting);
  const name = ehloName ?? addressLiteral(dialogue.localAddress);
  let offers = await introduce(dialogue, name);
  const before = mechanismsIn(offers);
  if (!dialogue.isSecure && offers.some((offer) => /^STARTTLS\b/i.test(offer))) {
    const reply = await dialogue.ask('STARTTLS');
    if (reply.code !== '220') throw refusal('STARTTLS', reply);
    await dialogue.secure();
    // What was offered before TLS may be forged (RFC 3207, 4.2).
    offers = await introduce(dialogue, name);
  }
  if (!dialogue.isSecure && server.tls === 'required') throw failed('no_starttls');
  const { credentials } = server;
  if (credentials) await logIn(dialogue, server, credentials, { before, now: mechanismsIn(offers) });
  return extensions(offers);
}

/** Gives what the server offers: nothing, where it knows HELO alone. */
async function introduce(dialogue: Dialogue, name: string): Promise<readonly string[]> {
  const ehlo = await dialogue.ask(`EHLO ${name}`);
  if (isDone(ehlo)) return ehlo.lines;
  const helo = await dialogue.ask(`HELO ${name}`);
  if (isDone(helo)) return [];
  throw refusal('HELO', helo);
}

function extensions(offers: readonly string[]): Extensions {
  const [size] = offers.flatMap((offer) => {
    const [all, most] = /^SIZE(?:[ =](\d+))?$/i.exec(offer) ?? [];
    return all === undefined ? [] : Number(most ?? 0);
  });
  return { pipelining: offers.some((offer) => /^PIPELINING$/i.test(offer)), size };
}

/** A machine without a name gives its address (RFC 5321, 4.1.3 and 4.1.4). */
function addressLiteral(address: string): string {
  // `::ffff:192.0.2.1`, where a socket for IPv6 speaks IPv4; `fe80::1%eth0`.
  const plain = address.replace(/^::ffff:(?=.*\.)/i, '').replace(/%.*$/, '');
  return isIPv6(plain) ? `[IPv6:${plain}]` : `[${plain}]`;
}
