import { createHttpClient } from '@form-relay/clients/http/http_client';
import { createSmtpClient } from '@form-relay/clients/smtp/smtp_client';
import type { SmtpMessage } from '@form-relay/core/services';
import fc from 'fast-check';
import { ca } from '../../../test/support/certificates.ts';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { smtpSink, startRawServer } from '../../../test/support/index.ts';
import { Secrets } from '../src/secrets.ts';
import { showRequest, showSmtp } from '../src/shown.ts';

/** Receives every byte of each request, once its whole body has arrived. */
let received: (bytes: string) => void = () => {};
const { origin, close } = await startRawServer({
  post: (socket, body, head) => {
    received(head + body);
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  },
});
const http = createHttpClient();
const none = new Secrets();
afterAll(async () => {
  await http.close();
  await close();
});

const headerValue = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .filter((value) => !/[\x7f-\x9f]/.test(value))
  .map((value) => value.trim())
  // Bytes that happen to be valid UTF-8 are shown as text.
  .filter((value) => !/[\xc0-\xff][\x80-\xbf]/.test(value));

test('a post is shown byte for byte as a server receives it', () =>
  holds(
    runs(10, 0.05),
    [
      fc.stringMatching(/^(\/[a-z%]{0,6}){1,3}$/),
      fc.dictionary(fc.stringMatching(/^x-[a-z]{1,8}$/), headerValue, { maxKeys: 3 }),
      fc.array(fc.tuple(fc.string(), fc.string())),
    ],
    async (path, more, pairs) => {
      const request = {
        url: new URL(`${origin}${path}`),
        headers: { 'user-agent': 'x', ...more, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(pairs).toString(),
        timeoutMs: 5_000,
      };
      const bytes = new Promise<string>((resolve) => {
        received = resolve;
      });
      await http(request);
      expect({ kind: 'http', bytes: await bytes }).toEqual(showRequest(request, none));
    },
  ));

test('a mail is shown as a server receives it', async () => {
  const sink = await smtpSink({ tls: 'starttls' });
  const message: SmtpMessage = {
    host: 'localhost',
    port: sink.port,
    tls: 'opportunistic',
    from: 'relay@example.com',
    to: ['a@example.com', 'b@example.com'],
    replyTo: 'ada@example.org',
    subject: 'Grüße aus Köln, und noch viel mehr Text, damit die Zeile lang genug für zwei ist',
    text: 'name=Ada\nmessage=Größe: 5\n\tzwei\n',
    messageId: 'a-0@example.com',
    date: Date.UTC(2030, 0, 1),
    timeoutMs: 5_000,
  };
  const { connect } = await import('node:net');
  await createSmtpClient({ ca, connect: (to) => connect({ ...to, port: sink.port, host: sink.host }) })({
    ...message,
    host: 'mail.test',
  });
  const text = (mail = '') => mail.replaceAll('\r\n', '\n');
  const shown = await showSmtp(message, none);
  expect(text(shown.kind === 'mail' ? shown.source : '')).toBe(text(sink.mails[0]?.raw));
});

describe('a mail with files', () => {
  const cv = { name: 'Größe.pdf', type: 'application/pdf', bytes: Buffer.alloc(1_300_000, 'x') };
  const inWords = '(base64 of Größe.pdf (1.2 MB))';
  const mail = {
    to: ['a@example.com'],
    subject: 'CV',
    text: 'name=Ada\n',
    attachments: [cv],
    date: Date.UTC(2030, 0, 1),
  };

  test('is shown as a server receives it, with descriptions in place of the files', async () => {
    const sink = await smtpSink();
    const message = {
      ...mail,
      host: sink.host,
      port: sink.port,
      from: 'relay@example.com',
      tls: 'opportunistic',
      messageId: 'a-0@example.com',
      timeoutMs: 5_000,
    } as const;
    await createSmtpClient()(message);
    const shown = await showSmtp(message, none);
    const base64 = cv.bytes.toString('base64').replace(/.{1,76}/g, '$&\r\n');
    const source = shown.kind === 'mail' ? shown.source : '';
    expect(source.length).toBeLessThan(5_000);
    expect(source.replace(`${inWords}\r\n`, base64)).toBe(sink.mails[0]?.raw);
    expect(shown).toMatchObject({ attachments: ['Größe.pdf (1.2 MB)'] });
  });
});
