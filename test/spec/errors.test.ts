import { type Answer, relayWith } from '../support/index.ts';

const outputs = '[{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]';
const config = `forms:
  contact: {fields: [{name: name, required: true}, {name: email, type: email}], outputs: ${outputs}}
  timed: {fields: [{name: name}], outputs: ${outputs}, spam: {min_fill_seconds: 1}}
  guarded: {fields: [{name: name}], outputs: ${outputs}, captcha: {provider: hcaptcha, secret: '{{ env "S" }}'}}
  unregistered: {fields: [{name: name}], outputs: [{type: carrier_pigeon, on_error: continue}]}`;

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (body: string, headers: Record<string, string> = urlencoded) => ({
  method: 'POST',
  headers,
  body,
});

/** Every error in the table that needs no special setup. */
const errors: [status: number, what: string, path: string, init?: RequestInit][] = [
  [400, 'missing form name', 'submit/', post('name=Ann')],
  [400, 'wrong Content-Type', 'submit/contact', post('{}', { 'content-type': 'application/json' })],
  [400, 'malformed body', 'submit/contact', post('name=%zz')],
  [400, 'missing captcha token', 'submit/guarded', post('name=Ann')],
  [404, 'unknown form', 'submit/nosuch', post('name=Ann')],
  [404, 'unknown form', 'form/nosuch'],
  [404, 'unknown form', 'token/nosuch'],
  [422, 'missing required field', 'submit/contact', post('')],
  [422, 'invalid email', 'submit/contact', post('name=Ann&email=x')],
  [500, 'unknown output type', 'submit/unregistered', post('name=Ann')],
  [500, 'failed delivery', 'submit/contact', post('name=Ann')],
  [500, 'empty FORM_TOKEN_SECRET', 'submit/timed', post('name=Ann')],
  [500, 'empty FORM_TOKEN_SECRET', 'form/timed'],
  [500, 'empty FORM_TOKEN_SECRET', 'token/timed'],
];

test.each(errors)('%i for %s, in JSON or as application/problem+json: %s', async (status, _, path, init) => {
  const relay = await relayWith({ config });
  const answer = await relay.request(`/api/v1/${path}`, init);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    'application/json; charset=utf-8',
  ]);
  expect(answer.json).toEqual({ error: expect.stringMatching(/^\S.*\S$/) });
  const headers = { ...(init?.headers as Record<string, string>), accept: 'application/problem+json' };
  const problem = await relay.request(`/api/v1/${path}`, { ...init, headers });
  expect([problem.status, problem.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  expect(problem.json).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
});

describe('a bug in the relay', () => {
  /** Rendering the captcha's secret fails, which no code expects. */
  const token = 'what-a-visitor-sent';
  const broken = async (headers: Record<string, string> = {}): Promise<[Answer, string]> => {
    const env = () => {
      throw new TypeError(`a bug with ${token}`);
    };
    const relay = await relayWith({ config, effects: { env } });
    const answer = await relay.submit('guarded', [['h-captcha-response', token]], headers);
    return [answer, JSON.stringify(relay.logged)];
  };

  test.each([{}, { 'HX-Request': 'true' }, { accept: 'application/problem+json' }] as Record<
    string,
    string
  >[])('is a 500 without details, and its stack trace is in the log: %j', async (headers) => {
    const [answer, log] = await broken(headers);
    expect(answer.status).toBe(500);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toMatch(/bug|\bat\b|node_modules/);
    expect(log).toContain('"level":"error","event":"internal_error"');
    expect(log).toContain('"stack":["TypeError","at ');
    expect(log).not.toContain(token);
    expect(log).toContain(String(answer.headers.get('x-request-id')));
  });
});

test('a bug in an output fails only that delivery, and its stack trace is in the log without its message', async () => {
  const sent = 'what-a-visitor-sent';
  const relay = await relayWith({
    config:
      'forms: {f: {fields: [{name: a}], outputs: [{type: http_post, url: "http://b.example", mapping: "*"}]}}',
    effects: {
      http: async () => {
        throw new TypeError(`a bug with ${sent}`);
      },
    },
  });
  expect((await relay.submit('f', [['a', sent]])).status).toBe(500);
  const log = JSON.stringify(relay.logged);
  expect(log).toContain('"stack":["TypeError","at ');
  expect(log).toContain('"event":"delivery_failed"');
  expect(log).not.toContain(sent);
});
