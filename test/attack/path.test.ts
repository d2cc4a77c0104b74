/** A path names its form in one way only, as it was sent; nothing is normalized, and no header leads elsewhere. */
import { describe, expect, test } from 'vitest';
import { contact } from '../spec/stage.ts';
import { answersIn, exchange, urlencoded } from './stage.ts';

const fields = '[{name: name}]';
const body = 'name=Ann';

const request = (line: string, ...lines: readonly string[]) =>
  [
    line,
    'Host: forms.test',
    `Content-Type: ${urlencoded}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...lines,
    '',
    body,
  ].join('\r\n');

const submit = '/api/v1/submit/contact';

test.each<[target: string, status: number]>([
  [submit, 200],
  ['/api/v1/submit/%63ontact', 200],
  ['/api/v1/submit/contact?', 200],
  ['/api/v1/submit/contact?/../../x', 200],
  ['http://forms.test/api/v1/submit/contact', 200],
  ['HTTPS://forms.test/api/v1/submit/contact', 200],
  ['http://user:pass@forms.test:80/api/v1/submit/contact', 200],
  ['/api/v1/submit/contact/', 404],
  ['/api/v1/submit/contact//', 404],
  ['//api/v1/submit/contact', 404],
  ['/api//v1/submit/contact', 404],
  ['/api/v1//submit/contact', 404],
  ['/api/v1/submit//contact', 404],
  ['/./api/v1/submit/contact', 404],
  ['/api/v1/submit/./contact', 404],
  ['/api/v1/submit/../submit/contact', 404],
  ['/api/v1/form/../submit/contact', 404],
  ['/healthz/../api/v1/submit/contact', 404],
  ['/api/v1/submit/%2e/contact', 404],
  ['/api/v1/submit/%2e%2e/submit/contact', 404],
  ['/api/v1/submit/..%2fsubmit%2fcontact', 404],
  ['/api/v1/submit%2fcontact', 404],
  ['/api%2fv1%2fsubmit%2fcontact', 404],
  ['/%61pi/v1/submit/contact', 404],
  ['/api/v1/%73ubmit/contact', 404],
  ['/api/v1/submit/contact%2f', 404],
  ['/api/v1/submit/contact%2f..%2fcontact', 404],
  ['/api/v1/submit/%2fcontact', 404],
  ['/api/v1/submit/%252563ontact', 404],
  ['/api/v1/submit/contact%00', 404],
  ['/api/v1/submit/contact%00.html', 404],
  ['/api/v1/submit/%00contact', 404],
  ['/api/v1/submit/contact%20', 404],
  ['/api/v1/submit/contact+', 404],
  ['/api/v1/submit/contact%0d%0a', 404],
  ['/api/v1/submit/contact%0a', 404],
  ['/api/v1/submit/%c0%ae', 404],
  ['/api/v1/submit/%c0%afcontact', 404],
  ['/api/v1/submit/%e0%80%afcontact', 404],
  ['/api/v1/submit/%ff', 404],
  ['/api/v1/submit/%u0063ontact', 404],
  ['/api/v1/submit/%', 404],
  ['/api/v1/submit/%6', 404],
  ['/api/v1/submit/\xe9', 400],
  ['/api/v1/submit/cont\xad\x61ct', 400],
  ['/api/v1/submit/contact;v=1', 404],
  ['/api/v1/submit/contact;', 404],
  ['/api/v1;x=y/submit/contact', 404],
  ['/api/v1/submit;x/contact', 404],
  ['/api/v1/submit/contact#x', 404],
  ['/api/v1/submit/contact%23', 404],
  ['/api/v1/submit/contact%3f', 404],
  ['/api/v1/submit/contact\\', 404],
  ['\\api\\v1\\submit\\contact', 400],
  ['/api/v1\\submit/contact', 404],
  ['/API/v1/submit/contact', 404],
  ['/api/V1/submit/contact', 404],
  ['/api/v1/Submit/contact', 404],
  ['/api/v2/submit/contact', 404],
  ['/api/v1.0/submit/contact', 404],
  ['/api/v1/submit/contact.json', 404],
  ['/x/api/v1/submit/contact', 404],
  ['*', 404],
  ['api/v1/submit/contact', 400],
  ['http:/api/v1/submit/contact', 400],
  ['http:///api/v1/submit/contact', 404],
  ['http://forms.test//api/v1/submit/contact', 404],
  ['http://forms.test', 404],
  ['ftp://forms.test/api/v1/submit/contact', 404],
  ['file:///etc/passwd', 404],
  ['forms.test:80', 400],
  ['', 400],
])('POST %j: %i', async (target, status) => {
  const relay = await contact({ fields });
  const answers = answersIn(await exchange(relay, request(`POST ${target} HTTP/1.1`)));
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  expect(relay.delivered).toHaveLength(status === 200 ? 1 : 0);
  expect(JSON.parse(answers[0]?.body ?? '')).toEqual({
    [status === 200 ? 'message' : 'error']: expect.any(String),
  });
});

describe('methods', () => {
  test.each([
    'PUT',
    'PATCH',
    'DELETE',
    'GET',
    'TRACE',
    'PROPFIND',
    'SEARCH',
    'PURGE',
    'LINK',
    'SUBSCRIBE',
    'SOURCE',
  ])('%s is told what is allowed, and delivers nothing', async (method) => {
    const relay = await contact({ fields });
    const [answer] = answersIn(
      await exchange(relay, request(`${method} ${submit} HTTP/1.1`, 'Cookie: secret=1')),
    );
    expect(answer?.status).toBe(405);
    expect(answer?.head).toMatch(/^allow: POST, OPTIONS$/im);
    // TRACE, least of all, says back what it was told.
    expect(answer?.body).not.toMatch(/secret|forms\.test/);
    expect(relay.delivered).toEqual([]);
  });

  test.each(['post', 'Post', 'FOO', 'POST\x0b', 'P\xd6ST', '"POST"'])('%j is no method', async (method) => {
    const relay = await contact({ fields });
    expect(
      answersIn(await exchange(relay, request(`${method} ${submit} HTTP/1.1`))).map(({ status }) => status),
    ).toEqual([400]);
    expect(relay.delivered).toEqual([]);
  });

  test('CONNECT opens no tunnel', async () => {
    const relay = await contact({ fields });
    const tunnel = `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n${request(`POST ${submit} HTTP/1.1`)}`;
    expect(await exchange(relay, tunnel)).not.toMatch(/ 2\d\d /);
    expect(relay.delivered).toEqual([]);
  });

  test.each([
    ['X-HTTP-Method-Override: POST', `GET ${submit} HTTP/1.1`],
    ['X-Original-URL: /api/v1/submit/contact', 'POST /nosuch HTTP/1.1'],
    ['X-Rewrite-URL: /api/v1/submit/contact', 'POST /nosuch HTTP/1.1'],
    ['X-Forwarded-Prefix: /api/v1/submit/contact', 'POST / HTTP/1.1'],
  ])('%s leads nowhere', async (header, line) => {
    const relay = await contact({ fields });
    const [answer] = answersIn(await exchange(relay, request(line, header)));
    expect([404, 405]).toContain(answer?.status);
    expect(relay.delivered).toEqual([]);
  });
});

describe('other versions of HTTP', () => {
  test.each([
    ['HTTP/0.9', `GET ${submit}\r\n\r\n`, 400],
    ['HTTP/0.9 with its number', request(`POST ${submit} HTTP/0.9`), 400],
    ['HTTP/2.0 with the words of 1.1', request(`POST ${submit} HTTP/2.0`), 400],
    ['HTTP/1.2', request(`POST ${submit} HTTP/1.2`), 400],
    ['HTTP/3.0', request(`POST ${submit} HTTP/3.0`), 400],
    ['no version', request(`POST ${submit} HTTP/`), 400],
    ['lower case', request(`POST ${submit} http/1.1`), 400],
    ['another protocol', request(`POST ${submit} ICY/1.1`), 400],
    ["HTTP/2's preface", 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 400],
    ["TLS's hello", '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400],
    ['SMTP', 'EHLO forms.test\r\nMAIL FROM:<a@b.test>\r\n', 400],
  ])('%s is refused', async (_what, bytes, status) => {
    const relay = await contact({ fields });
    expect(answersIn(await exchange(relay, bytes)).map((answer) => answer.status)).toEqual([status]);
    expect(relay.delivered).toEqual([]);
  });

  test('HTTP/1.0 is served, without a host too', async () => {
    const relay = await contact({ fields });
    const bytes = `POST ${submit} HTTP/1.0\r\nContent-Type: ${urlencoded}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(answersIn(await exchange(relay, bytes)).map(({ status }) => status)).toEqual([200]);
    expect(relay.delivered).toEqual([[['name', 'Ann']]]);
  });
});

describe('bodies of other kinds are refused, whatever stands in them', () => {
  test.each([
    ...['gzip', 'br', 'deflate', 'zstd', 'compress', 'GZIP', 'gzip, identity', 'identity, gzip', 'x'].map(
      (coding) => `Content-Encoding: ${coding}`,
    ),
  ])('%s', async (header) => {
    const relay = await contact({ fields });
    const [answer] = answersIn(await exchange(relay, request(`POST ${submit} HTTP/1.1`, header)));
    expect(answer?.status).toBe(400);
    expect(relay.delivered).toEqual([]);
  });
});
