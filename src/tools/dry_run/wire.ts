import { isUtf8 } from 'node:buffer';
import type { HttpPost, SesMessage, SmtpMessage } from '../../effects.ts';
import type { AwsAccount } from '../../transports/aws/account.ts';
import { createSesClient } from '../../transports/ses/client.ts';
import { composeMail } from '../../transports/smtp/client.ts';

/** A POST as it can be read, with its secrets masked or not. */
export interface ShownPost {
  /** Path and query. */
  readonly target: string;
  readonly host: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Of the body that is really sent, in bytes. */
  readonly contentLength: number;
}

export const shownPost = ({ url, headers, body }: HttpPost): ShownPost => ({
  target: url.pathname + url.search,
  host: url.host,
  headers: Object.entries(headers).map(([name, value]) => [name, utf8(value)]),
  body,
  contentLength: Buffer.byteLength(body),
});

/** Header values hold one byte a character (D13); those that are UTF-8 read better as what they say. */
function utf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** A POST as undici writes it to its connection; test/dry_run holds it to what a server receives. */
export function postBytes({ target, host, headers, body, contentLength }: ShownPost): string {
  const lines = [
    `POST ${target} HTTP/1.1`,
    `host: ${host}`,
    'connection: keep-alive',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${contentLength}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A mail as it follows DATA, before dot-stuffing (RFC 5321, 4.5.2). */
export const mailSource = async (message: SmtpMessage): Promise<string> =>
  (await composeMail(message)).bytes.toString('utf8');

/** The request that hands a mail to SES, made by the relay's own client with made-up credentials. */
export async function sesSource(message: SesMessage, region: string, now: () => number): Promise<string> {
  let source = '';
  const account: AwsAccount = {
    credentials: async () => ({ accessKeyId: 'dry-run', secretAccessKey: 'dry-run' }),
    region: async () => region,
    endpoint: () => undefined,
  };
  const send = createSesClient({
    account,
    now,
    http: async ({ url, headers, body }) => {
      const shown = { ...headers, authorization: '***' };
      const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
      source = `POST ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
      return { status: 200, headers: {}, body: Buffer.alloc(0), isCut: false };
    },
  });
  await send(message);
  return source;
}
