import { addressOf, mailboxText } from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { control, format } from '@form-relay/base/unicode';
import type { Values } from '@form-relay/base/values';
import { refusalText } from '@form-relay/clients/smtp/reply';
import type { HttpClient, Mail, Services } from '@form-relay/core/services';
import type { Payload } from '@form-relay/core/submission';
import { isMap } from '@form-relay/schema/schema';
import { currentDelivery } from './printing.ts';
import { Secrets } from './secrets.ts';

/** In characters: a line in a terminal, long enough for a mail server's reply with its queue id. */
const longest = 160;

type Mask = Pick<Secrets, 'json'>;

/**
 * A server's response on one line, without secrets: a mail server's reply, or the status and the beginning of
 * the body, which AWS returns as bytes. Empty if the client returns nothing.
 */
function answerWords(answer: unknown, mask: Mask): string {
  const { lines, code, status, body }: Readonly<Record<string, unknown>> = isMap(answer) ? answer : {};
  if (Array.isArray(lines)) return oneLine(`${code} ${lines.join(' ')}`, mask);
  return status === undefined ? '' : `${status} ${bodyWords(body as string | Uint8Array, mask)}`.trim();
}

/** A mail server's own text for a refusal. */
export const refusalWords = (error: unknown, mask: Mask): string =>
  error instanceof ClientError ? oneLine(refusalText(error), mask) : '';

/** The beginning of a body. HTML pages are omitted, because they are useless on one line. */
export function bodyWords(body: string | Uint8Array, mask: Mask): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return /^\s*<(!doctype|html)\b/i.test(text) ? '(an HTML page)' : oneLine(text, mask);
}

/** Redacted before it is cut, because half a secret is a secret, too. */
function oneLine(text: string, mask: Mask): string {
  const plain = mask.json(text).replaceAll(unprintable, ' ').replaceAll(/\s+/g, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…` : plain;
}

const unprintable = new RegExp(`[${control}${format}\\u2028\\u2029]`, 'gu');

/** Learns every secret that a test sends, so that a response that repeats one can be redacted. */
export class KnownSecrets {
  readonly mask = new Secrets();

  env(read: Services['env']): Services['env'] {
    return (name) => {
      const value = read(name);
      if (value !== undefined) this.mask.add(name, value);
      return value;
    };
  }

  /** Credentials in headers, including access tokens. */
  http(http: HttpClient): HttpClient {
    return (request) => {
      for (const [name, value] of Object.entries(request.headers))
        this.#add(name, value, this.mask.header(name, value));
      return http(request);
    };
  }

  payload(payload: Payload): void {
    for (const [key, values] of payload)
      for (const value of values) this.#add(key, value, this.mask.value(key, value));
  }

  #add(name: string, value: string, masked: string): void {
    // Skip a value that contains a variable's value: the variable's name already covers it.
    if (this.mask.text(value) !== value || masked === value) return;
    this.mask.add(name, value);
    const [, credential] = /^(?:Bearer|Basic|Token) (.+)$/i.exec(value) ?? [];
    if (credential !== undefined) this.mask.add(name, credential);
  }
}

/** The mail's only recipient is the visitor, whose address is made up. */
export class NotSent extends ClientError {}

/** Ends a plan at the point where something would be sent. */
export class Planned extends ClientError {}

const testHeader = 'X-Form-Relay-Test';

/** Marks everything that is sent. @param madeUp Made-up addresses, in lower case. */
export function marked(
  real: Omit<Services, 'log'>,
  secrets: KnownSecrets,
  isPlan: boolean,
  madeUp: ReadonlySet<string>,
): Omit<Services, 'log'> {
  const { mask } = secrets;
  const hear = (says: string, body = '') =>
    void Object.assign(currentDelivery()?.heard ?? {}, { says, body });
  const http = secrets.http((request) =>
    real.http({
      ...request,
      // Without a prototype, `__proto__` is an ordinary name.
      headers: Object.assign(Object.create(null), request.headers, { [testHeader.toLowerCase()]: '1' }),
    }),
  );
  const mailing =
    <M extends Mail>(send: (mail: M) => Promise<unknown>) =>
    async (message: M) => {
      const mail = markedMail(message, madeUp);
      if (isPlan) throw new Planned('planned');
      const answer = await send(mail);
      hear(answerWords(answer, mask));
      return answer;
    };
  return {
    ...real,
    env: secrets.env(real.env),
    http: async (request) => {
      if (isPlan) throw new Planned('planned');
      const answer = await http(request);
      if (request.headers['idempotency-key'] !== undefined)
        hear(answerWords(answer, mask), bodyWords(answer.body, mask));
      return answer;
    },
    smtp: mailing(real.smtp),
    ses: mailing(real.ses),
  };
}

function markedMail<M extends Mail>(mail: M, madeUp: ReadonlySet<string>): M {
  const isMadeUp = (address: string) => madeUp.has(address.toLowerCase());
  const to = mail.to.filter((one) => !isMadeUp(addressOf(one)));
  const all = [...to, ...(mail.cc ?? []), ...(mail.bcc ?? [])].map(mailboxText);
  Object.assign(currentDelivery()?.heard ?? {}, { to: all });
  if (to.length === 0 && mail.to.length > 0) {
    const ofVisitor = mail.to.map((one) => addressOf(one).toLowerCase()).join(', ');
    throw new NotSent(`the visitor's address (${ofVisitor}) is made up`);
  }
  const others = [...(mail.headers ?? [])].filter(
    ([name]) => name.toLowerCase() !== testHeader.toLowerCase(),
  );
  return {
    ...mail,
    to,
    subject: `[Test] ${mail.subject}`,
    headers: new Map([...others, [testHeader, '1']]),
  };
}

/** The addresses in fields with made-up values. */
export const addressesIn = (fields: ReadonlySet<string>, values: Values): ReadonlySet<string> =>
  new Set([...fields].flatMap((name) => (values.get(name) ?? []).map((value) => value.trim().toLowerCase())));
