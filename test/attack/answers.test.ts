/**
 * The relay reads answers from hosts of outputs and captchas up to a small limit, in bounded time, and
 * repeats them neither in the log nor to the visitor.
 */

import type net from 'node:net';
import type { Services } from '../../packages/core/src/services.ts';
import { account } from '../support/aws/signature.ts';
import { server as certificate } from '../support/certificates.ts';
import { form, mail } from '../support/config.ts';
import { createClientInPieces } from '../support/in_pieces.ts';
import { httpSink, rawServer, relayWith } from '../support/index.ts';

const secret = 'S3CRET-of-the-other-side';

/** A misbehaving server: `talk` writes as much as the socket accepts. */
async function rude(
  talk: (socket: net.Socket, closed: () => boolean) => void,
  { afterRequest = true, isSecure = false } = {},
) {
  const sockets: net.Socket[] = [];
  const connect = (socket: net.Socket) => {
    sockets.push(socket);
    const speak = () => talk(socket, () => socket.destroyed);
    if (afterRequest) socket.once('data', speak);
    else speak();
  };
  const { port } = await rawServer({ connect, options: isSecure ? certificate : {} });
  /** Bytes written to the connection that took the most. */
  const written = () => Math.max(0, ...sockets.map(({ bytesWritten }) => bytesWritten));
  return { port, written };
}

/** Writes the part repeatedly as fast as the other side reads it, up to 200 MB. */
const forEver = (head: string, part: string) => (socket: net.Socket, closed: () => boolean) => {
  socket.write(head);
  const more = () => {
    while (!closed() && socket.bytesWritten < 200e6)
      if (!socket.write(part)) return void socket.once('drain', more);
  };
  more();
};

/** Writes the part every 20 ms. */
const trickling = (head: string, part: string) => (socket: net.Socket, closed: () => boolean) => {
  socket.write(head);
  const timer = setInterval(() => (closed() ? clearInterval(timer) : socket.write(part)), 20);
};

const ok = 'HTTP/1.1 200 OK\r\n';
const httpTalk: Record<string, (socket: net.Socket, closed: () => boolean) => void> = {
  'a body without end': forEver(`${ok}\r\n`, secret.repeat(1_000)),
  'a body of 10 GB': forEver(`${ok}Content-Length: 10000000000\r\n\r\n`, secret.repeat(1_000)),
  'chunks without end': forEver(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(1_000)),
  'a chunk extension without end': forEver(`${ok}Transfer-Encoding: chunked\r\n\r\n1;`, 'x'.repeat(10_000)),
  'chunk extensions without end': forEver(
    `${ok}Transfer-Encoding: chunked\r\n\r\n`,
    `1;${'x'.repeat(10_000)}\r\nx\r\n`,
  ),
  'a chunk size without end': forEver(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '0'.repeat(10_000)),
  'trailers without end': forEver(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X: y\r\n'.repeat(1_000)),
  'headers without end': forEver(ok, `X: ${secret}\r\n`.repeat(100)),
  'one header without end': forEver(`${ok}X: `, secret.repeat(100)),
  'a status line without end': forEver('HTTP/1.1 200 ', secret.repeat(100)),
  '100 without end': forEver('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(400)),
  '102 without end': forEver('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(400)),
  '103 without end, with links': forEver(
    '',
    `HTTP/1.1 103 Early Hints\r\nLink: </${secret}>\r\n\r\n`.repeat(400),
  ),
  'no HTTP': forEver('', secret.repeat(100)),
  'empty lines without end': forEver('', '\r\n'.repeat(1_000)),
  'a body that trickles': trickling(`${ok}\r\n`, 'x'),
  'headers that trickle': trickling(ok, 'X: y\r\n'),
  'a status line that trickles': trickling('HTTP/1.1 200 ', 'x'),
  '103 that trickle': trickling('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'a body that is compressed a thousandfold': (socket) =>
    socket.end(`${ok}Content-Encoding: gzip\r\n\r\n\x1f\x8b${secret}`),
};

/** The HTTP client, and the one for files. */
const clients: Record<string, Partial<Services>> = {
  http_client: {},
  'http_client, streaming': { http: createClientInPieces() },
};

describe.each(Object.keys(clients))('%s', (client) => {
  test.each(Object.keys(httpTalk))('an output that answers %s', async (what) => {
    const sink = await rude(httpTalk[what] as (typeof httpTalk)[string]);
    const timeout = what.includes('trickle') ? '100ms' : '20s';
    const config = `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:${sink.port}/", mapping: "*", timeout: ${timeout}, retries: 0}]}}`;
    const relay = await relayWith({ config, effects: clients[client] as Partial<Services> });
    const startedAt = performance.now();
    const answer = await relay.submit('contact', [['name', 'Ann']]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect([200, 500]).toContain(answer.status);
    // The bytes that it reads, and the buffers of two sockets.
    expect(sink.written()).toBeLessThan(40e6);
    expect(JSON.stringify([answer.text, [...answer.headers], relay.logged])).not.toContain('S3CRET');
  });
});

/** Services that the relay calls through the other client. */
describe('an AWS service, and a server of access tokens,', () => {
  const queue = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
  const patient = 'mapping: "*", retries: 0, timeout: 20s';
  const env = { MAIL_FROM_ADDRESS: 'a@b.test', ID: 'id', KEEP_SECRET: 'a long secret, which is not guessed' };
  const configs: Record<string, (origin: string) => string> = {
    SES: () =>
      `forms: {contact: {fields: [{name: name}], outputs: [{type: email, to: a@b.test, ${patient}}]}}`,
    S3: () =>
      `forms: {contact: {fields: [{name: name}], outputs: [{type: s3, bucket: archive, ${patient}}]}}`,
    'OAuth 2.0': (origin) =>
      `forms: {contact: {fields: [{name: name}], outputs: [{type: webhook, url: "${origin}", ${patient}, oauth2: {grant: client_credentials, token_url: "${origin}", client_id: '{{ env "ID" }}', client_secret: '{{ env "ID" }}'}}]}}`,
    SQS: () =>
      `{keep: {in: "${queue}"}, forms: {contact: {keep: always, fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", ${patient}}]}}}`,
  };
  const talks: [what: string, reason: string][] = [
    ['103 without end, with links', 'more than 16 interim responses'],
    ['empty lines without end', 'headers are too long'],
    ['chunk extensions without end', ''],
  ];

  test.each(
    Object.keys(configs).flatMap((service) =>
      talks.map(([what, reason]) => [service, what, reason] as const),
    ),
  )('%s, which answers %s, is not read any further', async (service, what, reason) => {
    const host = await rude(httpTalk[what] as (typeof httpTalk)[string]);
    const origin = `http://127.0.0.1:${host.port}/`;
    const config = configs[service]?.(origin) ?? '';
    const relay = await relayWith({ config, env: { ...account, ...env, AWS_ENDPOINT_URL: origin } });
    await relay.submit('contact', [['name', 'Ann']]);
    expect(host.written()).toBeGreaterThan(0);
    expect(host.written()).toBeLessThan(40e6);
    // A store has less time than an output, which may be too little on a busy machine.
    if (service !== 'SQS') expect(JSON.stringify(relay.logged)).toContain(reason);
    expect(JSON.stringify(relay.logged)).not.toContain('S3CRET');
  });
});

describe('a captcha provider', () => {
  const config = (url: string) =>
    `forms: {contact: {fields: [{name: name}], captcha: {provider: hcaptcha, secret: captcha-secret, verify_url: "${url}"}, outputs: [{type: http_post, url: "http://127.0.0.1:9/", on_error: continue}]}}`;
  const values = Object.entries({ name: 'Ann', 'h-captcha-response': 'visitor-token' });

  test.each([
    ...['a body without end', 'headers without end', 'one header without end', 'no HTTP'],
    ...['103 without end, with links', 'chunk extensions without end', 'empty lines without end'],
  ])('that answers %s gives no verdict', async (what) => {
    const provider = await rude(httpTalk[what] as (typeof httpTalk)[string]);
    const relay = await relayWith({ config: config(`http://127.0.0.1:${provider.port}/`) });
    const answer = await relay.submit('contact', values);
    expect(answer.status).toBe(400);
    expect(provider.written()).toBeLessThan(40e6);
    expect(JSON.stringify([answer.text, relay.logged])).not.toMatch(/S3CRET|visitor-token|captcha-secret/);
  });

  test.each<[what: string, body: string | Buffer]>([
    ['nested', '{"success": {"success": true}}'],
    ['in a list', '{"success": [true]}'],
    ['twice, the last one false', '{"success": true, "success": false}'],
    ['inherited', '{"__proto__": {"success": true}}'],
    ['as text', '{"success": "true"}'],
    ['as 1', '{"success": 1}'],
    ['in a list of verdicts', '[{"success": true}]'],
    ['after a byte-order mark in UTF-16', Buffer.from('\ufeff{"success": true}', 'utf16le')],
    ['beside bytes that are no JSON', Buffer.from('{"success": true}\xff', 'latin1')],
    ['beside a second verdict', '{"success": true}{"success": true}'],
    ['after 64 KB of white space', `${' '.repeat(70_000)}{"success": true}`],
    ['before 64 KB of white space', `{"success": true${' '.repeat(70_000)}}`],
    ['within 60,000 lists', `${'['.repeat(30_000)}true${']'.repeat(30_000)}`],
    ['in a comment', '{/* */"success": true}'],
    ['in JSONP', 'callback({"success": true})'],
    [
      'false, with what it says',
      `{"success": false, "error-codes": ["${secret}", "invalid-input-response\\n{}", {"toString": "x"}, null, 1], "hostname": "${secret}"}`,
    ],
  ])('whose verdict is %s does not let anybody through', async (_what, body) => {
    const provider = await httpSink({ answer: () => ({ body }) });
    const relay = await relayWith({ config: config(provider.origin) });
    const answer = await relay.submit('contact', values);
    expect([answer.status, answer.json]).toEqual([
      400,
      { error: expect.stringMatching(/^The captcha (was not solved|could not be checked)\. /) },
    ]);
    expect(JSON.stringify(relay.logged)).not.toMatch(/S3CRET|visitor-token|captcha-secret/);
  });

  test.each([301, 302, 303, 307, 308])('that redirects (%i) does not get the secret', async (status) => {
    const elsewhere = await httpSink({ answer: () => ({ body: '{"success": true}' }) });
    const provider = await httpSink({
      answer: () => ({ status, headers: { location: elsewhere.origin }, body: '{"success": true}' }),
    });
    const relay = await relayWith({ config: config(provider.origin) });
    expect((await relay.submit('contact', values)).status).toBe(400);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('an output that redirects the POST', () => {
  const config = (url: string) =>
    `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${url}", mapping: "*", headers: {Authorization: Bearer S3CRET, X-Key: S3CRET}, retries: 0}]}}`;

  test('to another host or port does not receive credentials there, and nothing of its answer is repeated', async () => {
    const inner = await httpSink({ answer: () => ({ body: `{"AccessKeyId": "${secret}"}` }) });
    for (const host of ['localhost', '127.0.0.1', '127.1', '0x7f000001', '[::ffff:127.0.0.1]']) {
      const before = inner.requests.length;
      const location = `http://${host}:${inner.port}/latest/meta-data/?X=${secret}`;
      const sink = await httpSink({ answer: () => ({ status: 308, headers: { location } }) });
      const relay = await relayWith({ config: config(`${sink.origin}/`) });
      const answer = await relay.submit('contact', [['name', 'Ann']]);
      expect(JSON.stringify([answer.text, [...answer.headers], relay.logged])).not.toContain('S3CRET');
      for (const { method, rawHeaders } of inner.requests.slice(before)) {
        expect(method).toBe('POST');
        expect(rawHeaders.join('\n')).not.toContain('S3CRET');
      }
    }
    expect(inner.requests.length).toBeGreaterThan(0);
  });

  test.each([
    'Set-Cookie: a=S3CRET',
    'WWW-Authenticate: Basic realm="S3CRET"',
    'X-Request-Id: S3CRET',
    'HX-Redirect: https://evil.test/S3CRET',
    'Content-Type: text/html',
  ])('and answers with %s: nothing of it reaches the visitor', async (header) => {
    const [name = '', value = ''] = header.split(': ');
    const sink = await httpSink({
      answer: () => ({ status: 401, headers: { [name]: value }, body: '<script>S3CRET</script>' }),
    });
    const relay = await relayWith({ config: config(`${sink.origin}/`) });
    const answer = await relay.submit('contact', [['name', 'Ann']]);
    expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
    expect(JSON.stringify([answer.text, [...answer.headers], relay.logged])).not.toMatch(/S3CRET|evil/);
  });
});

describe('an SMTP server', () => {
  const greeted = '220 mail.test ESMTP\r\n';
  const smtpTalk: Record<string, (socket: net.Socket, closed: () => boolean) => void> = {
    'a greeting of lines without end': forEver('', `220-${secret}\r\n`.repeat(100)),
    'a greeting line without end': forEver('220 ', secret.repeat(100)),
    'no line breaks': forEver('', 'x'.repeat(10_000)),
    'empty lines without end': forEver('', '\r\n'.repeat(1_000)),
    'extensions without end': (socket, closed) => {
      socket.write(greeted);
      socket.once('data', () => forEver('', `250-X-${secret}\r\n`.repeat(100))(socket, closed));
    },
    'a greeting that trickles': trickling('220-', 'x'),
    'greeting lines that trickle': trickling('', `220-${secret}\r\n`),
    HTTP: (socket) => socket.end(`${ok}\r\n${secret}`),
    'a refusal with what it got': (socket) => {
      socket.write(greeted);
      socket.on('data', (bytes: Buffer) =>
        socket.write(`550 5.7.1 ${secret} ${bytes.toString('latin1').trim().slice(0, 100)}\r\n`),
      );
    },
  };

  test.each(Object.keys(smtpTalk))('that sends %s is given up in time, and not quoted', async (what) => {
    const server = await rude(smtpTalk[what] as (typeof smtpTalk)[string], { afterRequest: false });
    const relay = await relayWith({
      config: form({ outputs: [mail(server, { timeout: '100ms', retries: 0 })] }),
    });
    const rssBefore = process.memoryUsage().rss;
    const startedAt = performance.now();
    const answer = await relay.submit('contact', [['name', 'Ann']]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(answer.status).toBe(500);
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(300e6);
    expect(JSON.stringify([answer.text, relay.logged])).not.toMatch(/S3CRET|Ann/);
  });
});
