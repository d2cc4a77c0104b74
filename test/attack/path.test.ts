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
  ['http://forms.test/api/v1/submit/contact', 200],
  ['http://user:pass@forms.test:80/api/v1/submit/contact', 200],
  ['/api/v1/submit/contact/', 404],
  ['//api/v1/submit/contact', 404],
  ['/api/v1/submit//contact', 404],
  ['/api/v1/submit/./contact', 404],
  ['/api/v1/submit/../submit/contact', 404],
  ['/healthz/../api/v1/submit/contact', 404],
  ['/api/v1/submit/%2e%2e/submit/contact', 404],
  ['/api/v1/submit%2fcontact', 404],
  ['/%61pi/v1/submit/contact', 404],
  ['/api/v1/submit/contact%2f', 404],
  ['/api/v1/submit/%252563ontact', 404],
  ['/api/v1/submit/contact%00', 404],
  ['/api/v1/submit/contact%20', 404],
  ['/api/v1/submit/contact%0d%0a', 404],
  ['/api/v1/submit/%c0%afcontact', 404],
  ['/api/v1/submit/%ff', 404],
  ['/api/v1/submit/%u0063ontact', 404],
  ['/api/v1/submit/%', 404],
  ['/api/v1/submit/\xe9', 400],
  ['/api/v1/submit/contact;v=1', 404],
  ['/api/v1/submit/contact#x', 404],
  ['/api/v1/submit/contact\\', 404],
  ['\\api\\v1\\submit\\contact', 400],
  ['/API/v1/submit/contact', 404],
  ['/api/v2/submit/contact', 404],
  ['/api/v1/submit/contact.json', 404],
  ['*', 404],
  ['api/v1/submit/contact', 400],
  ['http:/api/v1/submit/contact', 400],
  ['http://forms.test//api/v1/submit/contact', 404],
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
  test.each(['post', 'Post', 'FOO', 'POST\x0b', 'P\xd6ST', '"POST"'])('%j is no method', async (method) => {
    const relay = await contact({ fields });
    expect(
      answersIn(await exchange(relay, request(`${method} ${submit} HTTP/1.1`))).map(({ status }) => status),
    ).toEqual([400]);
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
