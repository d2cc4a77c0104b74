/**
 * Values in every templated position, in names, paths and headers: no value adds a header, a recipient, a command or a
 * log line. test/contract/injection.test.ts checks posts with arbitrary values, mail.test.ts checks mails.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serve } from '../../packages/cli/test/served.ts';
import { decodeMail, decodeWords, httpSink, relayWith, smtpSink, tempFolder } from '../support/index.ts';
import { exchange, postHead } from './stage.ts';

/** Line breaks as written in the body: percent-encoded once and twice, overlong, in other encodings, in an encoded word. */
const breaks = [
  ...['%0d%0a', '%0a', '%0d', '%0d%0a%20', '%00', '%c2%85', '%e2%80%a8', '%e5%98%8a%e5%98%8d'],
  ...['%250d%250a', '%5cr%5cn', '%3d%0a', '%3d%3futf-8%3fQ%3f%3d0D%3d0A%3f%3d', '%e2%80%ae'],
];
const evil = 'Bcc%3a+evil%40x.test';

test.each(breaks)('a line break written as %s has no effect in any templated position', async (mark) => {
  const http = await httpSink();
  const provider = await httpSink({ answer: () => ({ body: '{"success": true}' }) });
  const auth = { username: 'user', password: 'pass' };
  const smtp = await smtpSink({ auth });
  const config = `forms: {contact: {fields: [{name: a}, {name: b}],
    captcha: {provider: hcaptcha, verify_url: "${provider.origin}", secret: "s{{ .fields.a }}"},
    outputs: [
      {type: http_post, url: "${http.origin}", headers: {X-A: "<{{ .fields.a }}>", X-B: fixed}, static: {t: "<{{ .fields.a }}>"}},
      {type: crm_web2lead, url: "${http.origin}", static: {t: "<{{ .fields.a }}>"}},
      {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: relay@forms.test, to: "office@firm.test, x{{ .fields.a }}", reply_to: "x{{ .fields.a }}", subject: "<{{ .fields.a }}>",
       username: user, password: pass, static: {a: "{{ .fields.a }}", b: fixed}},
      {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: relay@forms.test, to: office@firm.test, username: "{{ .fields.a }}", password: "{{ .fields.a }}", static: {b: other}, on_error: continue, retries: 0}]}}`;
  const relay = await relayWith({ config });
  const body = `a=x${mark}${evil}${mark}b%3dforged&h-captcha-response=${mark}x&b=safe`;
  expect((await relay.submit('contact', body)).status).toBe(200);

  expect(provider.requests.map((request) => [...new URLSearchParams(request.body).keys()].sort())).toEqual([
    ['response', 'secret'],
  ]);
  expect(http.requests).toHaveLength(2);
  for (const { headers, rawHeaders, url } of http.requests) {
    expect(url).toBe('/');
    expect(Object.keys(headers).filter((name) => /bcc|evil|forged/.test(name))).toEqual([]);
    expect(rawHeaders.join('\n').replaceAll(/\n/g, '')).not.toMatch(/[\0-\x08\x0a-\x1f\x7f]/);
  }
  // A visitor's values are never used to log in.
  expect(smtp.mails.map(({ user }) => user)).toEqual(['user']);
  for (const { envelope, raw } of smtp.mails) {
    expect(envelope).toEqual({ from: 'relay@forms.test', to: ['office@firm.test'] });
    const { headers, text } = decodeMail(raw);
    expect(headers.map(([name]) => name).filter((name) => /bcc|cc/i.test(name))).toEqual([]);
    expect(decodeWords(Object.fromEntries(headers).Subject ?? '')).toMatch(/^<x[^\p{Cc}\u2028\u2029]*>$/u);
    expect(
      text
        .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
        .filter((line) => line !== '' && !line.startsWith('\t'))
        .map((line) => line.slice(0, 2)),
    ).toEqual(['a=', 'b=']);
  }
});

test("every line in the running server's log is one JSON object that the relay wrote", async () => {
  const folder = tempFolder();
  const file = join(folder, 'webform.yaml');
  const strange = JSON.stringify('form\u2028"}{\\');
  await writeFile(
    file,
    `forms:\n  ${strange}: {fields: [{name: a}, {name: ${JSON.stringify('na"me\u2028')}, required: true}], outputs: [{type: http_post, url: "http://127.0.0.1:9/x"}]}\n`,
  );
  const relay = await serve({
    args: ['--config', file],
    env: { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000' },
  });
  let log = '';
  relay.child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const forged = '{"time":"x","level":"info","event":"forged"}';
  for (const mark of ['%0a', '%0d%0a', '%e2%80%a8', '%c2%85', '%00', '%1b%5b2J', '"}%0a']) {
    const body = `a=x${mark}${encodeURIComponent(forged)}&${mark}${encodeURIComponent(forged)}=1`;
    const path = `/api/v1/submit/${encodeURIComponent(JSON.parse(strange) as string)}`;
    const headers = [
      `User-Agent: ${forged}`,
      `X-Request-Id: ${forged}`,
      `Referer: ${forged}`,
      `X-Forwarded-For: ${forged}`,
      `Origin: ${forged}`,
    ];
    const post = postHead(...headers, `Content-Length: ${body.length}`, 'Connection: close').replace(
      '/api/v1/submit/contact',
      path,
    );
    await exchange(relay, post + body);
    await exchange(
      relay,
      `GET /api/v1/form/${mark}${encodeURIComponent(forged)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    await exchange(relay, `${forged}\r\n\r\n`);
  }
  relay.child.kill('SIGTERM');
  await once(relay.child, 'exit');
  const lines = log.split('\n').slice(0, -1);
  const events = lines.map((line) => JSON.parse(line) as { event: string });
  expect(events.filter(({ event }) => event === 'submission')).toHaveLength(7);
  expect(log).not.toMatch(/forged/);
  // Characters that other programs treat as line breaks are not in it either.
  expect(log).not.toMatch(/[\0-\x09\x0b-\x1f\x7f\u0085]/);
});
