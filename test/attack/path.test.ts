/** A path names its form in exactly one way; nothing is normalized, and no header changes the path. */
import { contact } from '../support/index.ts';
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

/** test/promises/areas/methods.ts covers the other tricks, and unknown names. */
test.each<[target: string, status: number]>([
  [submit, 200],
  ['/api/v1/submit/contact?', 200],
  ['http://forms.test/api/v1/submit/contact', 200],
  ['http://user:pass@forms.test:80/api/v1/submit/contact', 200],
  ['/%61pi/v1/submit/contact', 404],
  ['/api/v1/submit/\xe9', 400],
  ['/api/v1/submit/contact#x', 404],
  ['\\api\\v1\\submit\\contact', 400],
  ['/API/v1/submit/contact', 404],
  ['*', 404],
  ['api/v1/submit/contact', 400],
  ['http:/api/v1/submit/contact', 400],
  ['http://forms.test//api/v1/submit/contact', 404],
  ['ftp://forms.test/api/v1/submit/contact', 404],
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
