import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHttpClient } from '../../packages/clients/src/http/http_client.ts';
import { createSmtpClient } from '../../packages/clients/src/smtp/smtp_client.ts';
import type { SmtpMessage } from '../../packages/relay/src/base/effects.ts';
import type { HttpMessage } from '../../packages/relay/src/transports/http/http_transport.ts';
import { createTransports } from '../../packages/relay/src/transports/index.ts';
import { readTextFile } from '../../packages/relay/src/transports/text_file.ts';
import type { Mask } from '../../packages/relay/src/transports/transport.ts';
import { ca } from '../support/certificates.ts';
import { runs } from '../support/fuzz.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';

/** Hands over every byte of each request, once the body that it announces is there. */
let received: (bytes: string) => void = () => {};
const server = createServer((socket) => {
  let bytes = '';
  socket.on('data', (chunk) => {
    bytes += chunk.toString('latin1');
    const [, head = '', length = ''] = /^(.*?content-length: (\d+)\r\n\r\n)/s.exec(bytes) ?? [];
    if (head === '' || bytes.length < head.length + Number(length)) return;
    received(bytes);
    bytes = '';
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const http = createHttpClient();
const nobody = async () => {};
const transports = createTransports(
  {
    http,
    smtp: nobody,
    ses: nobody,
    storeFile: nobody,
    putObject: nobody,
    readFile: readTextFile,
    env: () => undefined,
    now: Date.now,
  },
  undefined,
);
const bare: Mask = {
  text: (text) => text,
  value: (_, value) => value,
  header: (_, value) => value,
  pairs: (text) => text,
  json: (text) => text,
  html: (markup) => markup,
  path: (path) => path,
};
afterAll(async () => {
  await http.close();
  server.close();
});

const headerValue = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .filter((value) => !/[\x7f-\x9f]/.test(value))
  .map((value) => value.trim())
  // Bytes that happen to be UTF-8 are shown as what they say.
  .filter((value) => !/[\xc0-\xff][\x80-\xbf]/.test(value));

test('a post is shown byte for byte as a server receives it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.webPath(),
      fc.option(fc.webQueryParameters()),
      fc.dictionary(fc.stringMatching(/^x-[a-z]{1,8}$/), headerValue, { maxKeys: 3 }),
      fc.array(fc.tuple(fc.string(), fc.string())),
      async (path, query, more, pairs) => {
        const message: HttpMessage = {
          via: 'http',
          url: new URL(`${origin}${path}${query === null ? '' : `?${query}`}`),
          id: 'a-0',
          contentType: 'application/x-www-form-urlencoded',
          headers: { 'user-agent': 'x', ...more },
          body: new URLSearchParams(pairs).toString(),
        };
        const bytes = new Promise<string>((resolve) => {
          received = resolve;
        });
        await transports.http.send(message, 5_000);
        expect({ kind: 'http', bytes: await bytes }).toEqual(await transports.http.show(message, bare));
      },
    ),
    runs(10, 0.05),
  );
});

test('a mail is shown as a server receives it', async () => {
  const sink = await startSmtpSink({ tls: 'starttls' });
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
  const shown = await transports.smtp.show({ via: 'smtp', ...message }, bare);
  expect(text(shown.kind === 'mail' ? shown.source : '')).toBe(text(sink.mails[0]?.raw));
  await sink.close();
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

  test('is shown as a server receives it, with words in place of what a file holds', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const sink = await startSmtpSink();
    onTestFinished(sink.close);
    const message = {
      ...{ ...mail, host: sink.host, port: sink.port, from: 'relay@example.com' },
      tls: 'opportunistic',
      ...{ dkim: { domain: 'example.com', selector: 's', key }, messageId: 'a-0@example.com' },
    } as const;
    await createSmtpClient()({ ...message, timeoutMs: 5_000 });
    const shown = await transports.smtp.show({ via: 'smtp', ...message }, bare);
    const base64 = cv.bytes.toString('base64').replace(/.{1,76}/g, '$&\r\n');
    const source = shown.kind === 'mail' ? shown.source : '';
    expect(source.length).toBeLessThan(5_000);
    expect(source.replace(`${inWords}\r\n`, base64)).toBe(sink.mails[0]?.raw);
    expect(shown).toMatchObject({ attachments: ['Größe.pdf (1.2 MB)'] });
  });
});
