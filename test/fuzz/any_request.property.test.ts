/** Arbitrary requests through the whole pipeline, with outputs that record what they receive. */
import fc from 'fast-check';
import type { RelayRequest, RelayResponse } from '../../packages/core/src/http/request.ts';
import type { HttpRequest, SesMessage, SmtpMessage } from '../../packages/core/src/services.ts';
import { everyField } from '../../packages/core/test/html/every_field.ts';
import { createLog } from '../../packages/runtimes/src/log.ts';
import { issueToken } from '../../packages/spam/src/form_token.ts';
import { solutionFor } from '../../packages/spam/src/proof/challenge.ts';
import { holds, isFuzzing, runs } from '../support/fuzz.ts';
import { ClientError, createRelay, heapMb } from '../support/index.ts';

const everything = '[{type: http_post, url: "http://sink.test/", mapping: "*"}]';
const config = `forms:
  plain:
    fields: [{name: a}, {name: b}, {name: __proto__}]
    outputs: [{type: http_post, url: "http://sink.test/", mapping: {a: a, b: b, c: undeclared, __proto__: __proto__}}]
  page:
    redirect: https://example.com/thanks?a=1
    fields: [{name: a, required: true}]
    outputs: ${everything}
  slow:
    fields: [{name: a}]
    spam: {honeypot: nickname, min_fill_seconds: 3}
    outputs: ${everything}
  "a b/c%é":
    fields: [{name: a}]
    outputs: ${everything}
  mail:
    fields: [{name: a}, {name: b}]
    spam: {honeypot: b2}
    outputs:
      - {type: smtp, host: mail.test, to: "office@firm.test, {{ .fields.a }}", reply_to: "{{ .fields.b }}", subject: "{{ .fields.a }}", mapping: "*"}
      - {type: email, to: office@firm.test, subject: "{{ .fields.a }}", mapping: "*", static: {t: "{{ trim .fields.b }}"}}
  captcha:
    fields: [{name: a}]
    captcha: {provider: recaptcha_v3, secret: "{{ env \\"CAPTCHA_SECRET\\" }}", min_score: 0.5}
    outputs: ${everything}
  guarded:
    fields: [{name: a}]
    origins: [https://example.com]
    rate_limit: 1000 per 1s
    spam: {proof_of_work: true, doubt: {tag: 2, challenge: 4, drop: 9}}
    outputs: ${everything}
  broken:
    fields: [{name: a}]
    outputs: [{type: http_post, url: "http://broken.test/", mapping: "*", retries: 2}]
  swallowed:
    fields: [{name: a}]
    outputs: [{type: http_post, url: "http://broken.test/", mapping: "*", on_error: continue}]
  unregistered:
    fields: [{name: a}]
    outputs: [{type: pigeon, mapping: "*", on_error: continue}]
${everyField.replace('$sink', 'http://sink.test/')}`;

/** Every submission contains one of these, so that leaks can be found. */
const visitor = 'V1s1t0r';
const secrets = ['T0ken9f2c7b1e4d86', 'CaptchaSecret'];

const posts: HttpRequest[] = [];
const mails: (SmtpMessage | SesMessage)[] = [];
let lines = '';
const { log, flush } = createLog(Date.now, 'info', (bytes) => {
  lines += bytes;
  return bytes.length;
});

const relay = createRelay({
  config,
  env: {
    THROTTLE_RATE_LIMIT: '1000000000',
    THROTTLE_BURST_LIMIT: '1000000000',
    ALLOWED_ORIGINS: 'https://example.com, http://localhost:3000',
    FORM_TOKEN_SECRET: 'T0ken9f2c7b1e4d86',
    CAPTCHA_SECRET: 'CaptchaSecret',
    MAIL_FROM_ADDRESS: 'forms@firm.test',
  },
  effects: {
    log,
    sleep: async () => {},
    http: async (post) => {
      if (post.url.hostname === 'broken.test')
        throw new ClientError('connect ECONNREFUSED', { retryAfterMs: 0 });
      if (post.url.hostname === 'sink.test') posts.push(post);
      const isHuman = new URLSearchParams(post.body).get('response')?.startsWith('human');
      return { status: 200, headers: {}, body: JSON.stringify({ success: isHuman, score: 0.9 }) };
    },
    smtp: async (message) => void mails.push(message),
    ses: async (message) => void mails.push(message),
  },
});
const forms = [
  ...['plain', 'slow', 'page', 'a b/c%é', 'mail', 'captcha', 'guarded', 'broken', 'swallowed'],
  ...['unregistered', 'every_field'],
];

const broken: unknown[] = [];
const onBroken = (reason: unknown) => void broken.push(reason);
beforeAll(() => process.on('unhandledRejection', onBroken).on('uncaughtException', onBroken));
afterAll(async () => {
  process.off('unhandledRejection', onBroken).off('uncaughtException', onBroken);
  await relay.close();
});

const marks = [
  ...['', ' ', '\r\n', '\0', '<', '>', '"', "'", '&', '{{ env "CAPTCHA_SECRET" }}', '%', '+', '=', ','],
  ...['@', '\u2028'],
];
const anyText = fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary', maxLength: 10 }));
const value = fc.oneof(
  fc.tuple(anyText, anyText).map(([before, after]) => `${before}<i ${visitor}>${after}`),
  fc.constantFrom(
    ...['', 'Ada', 'ada@example.org', 'human', '4', '2030-06-01', 'https://example.com/', 'on', 'business'],
  ),
  fc.constantFrom(
    ...['gb', 'France', 'English', 'personal', 'sales', 'support', 'x'.repeat(10_001), 'hello there all'],
  ),
  anyText,
);
const tokens = [10_000, 1_000, 8_000_000, -1_000].map((agoMs) =>
  issueToken('T0ken9f2c7b1e4d86', 'slow', { issuedAt: Date.now() - agoMs, waitedMs: 0 }),
);
const solutions = Array.from({ length: 200 }, (_, index) =>
  solutionFor('T0ken9f2c7b1e4d86', 'guarded', {
    nonce: `${index}`,
    expiresAt: Date.now() + (index % 10 ? 3_600_000 : -1_000),
    most: index % 3 ? 400_000 : 100_000,
  }),
);
const fieldNames = [
  ...['altcha', '_doubt', '_aside', 'a', 'b', 'b2', 'undeclared', '__proto__', 'constructor', '_ts'],
  ...['g-recaptcha-response', 'nickname'],
];
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fieldNames) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(...[...everyField.matchAll(/name: (\w+)/g)].map(([, name = '']) => name)),
  },
  { weight: 1, arbitrary: anyText.map((text) => `${visitor}${text}`) },
);
const own = fc.oneof(
  fc.constantFrom(...tokens).map((token) => ['_ts', token] as [string, string]),
  fc.constant<[string, string]>(['g-recaptcha-response', 'human']),
  fc.constantFrom(...solutions).map((solution) => ['altcha', solution] as [string, string]),
  fc.constant<[string, string]>(['a', 'Ada']),
);
const pairs = fc.array(fc.oneof({ weight: 5, arbitrary: fc.tuple(name, value) }, own), { maxLength: 12 });
const urlencoded = pairs.map((sent) => new URLSearchParams(sent).toString());

const body = fc.oneof(
  { weight: 6, arbitrary: urlencoded.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  // Damaged in transit.
  {
    weight: 2,
    arbitrary: fc
      .tuple(urlencoded, fc.nat(), fc.constantFrom('%', '%zz', '\xff', '&&', '=', '%C3', ';', '\0'))
      .map(([text, at, some]) => Buffer.from(text.slice(0, at % 99) + some + text.slice(at % 99), 'latin1')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(undefined, Buffer.from(`a=${'x'.repeat(65_535)}`), Buffer.alloc(65_537)),
  },
);

/** Header text that node:http accepts: one character per byte, no controls except tabs. */
const headerText = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9))
    .map((code) => String.fromCharCode(code)),
  maxLength: 20,
});
const accepts = [
  ...['text/html', '*/*', 'application/json', 'text/html;q=0.9,*/*;q=0.8', 'application/problem+json'],
  ...['text/*;q=x,,;'],
];
const hosts = ['forms.test', 'forms.test:8080', '[::1]:80', 'a"b', '', 'a, b', 'evil.test/x'];
const origins = [
  ...['https://example.com', 'http://localhost:3000', 'null', 'https://evil.test', 'http://['],
  ...['http://forms.test'],
];
const targets = [
  ...['form-page', 'form#form-page', 'form-every_field', 'form-every_field--company--slot', '', 'a b'],
];
const known: Record<string, readonly string[]> = {
  'content-type': [
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-Urlencoded ; charset=x',
    'text/plain',
    '',
  ],
  accept: accepts,
  'hx-request': ['true', 'false'],
  'hx-target': targets,
  origin: origins,
  host: hosts,
  'x-forwarded-host': hosts,
  'x-forwarded-proto': ['http', 'https', 'javascript', 'https, http'],
  'sec-fetch-site': ['same-origin', 'cross-site', 'none'],
  'sec-fetch-mode': ['navigate', 'cors'],
  'content-encoding': ['identity', 'gzip'],
  __proto__: ['x'],
};
const header = fc
  .constantFrom(...Object.entries(known))
  .chain(([name, usual]) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: headerText }),
    ),
  );
const headers = fc
  .tuple(fc.boolean(), fc.array(header, { maxLength: 6 }))
  .map(([isForm, more]) =>
    Object.fromEntries([...more, ...(isForm ? [['content-type', 'application/x-www-form-urlencoded']] : [])]),
  );

const anyPath = fc.string({ unit: headerText.map((text) => text.charAt(0) || '/'), maxLength: 20 });
const formSegment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...forms).map(encodeURIComponent) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '%', '%zz', '%C3', '%00', '__proto__', 'plain/', 'a%2Fb', '..'),
  },
  { weight: 1, arbitrary: anyPath },
);
const path = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom('submit', 'submit', 'submit', 'form', 'token', 'challenge'), formSegment)
      .map(([route, segment]) => `/api/v1/${route}/${segment}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/healthz', '/readyz', '/', '', '*', '/api/v1/submit', '//', '/API/v1/form/a'),
  },
  { weight: 1, arbitrary: anyPath.map((text) => `/${text}`) },
);
const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('POST', 'POST', 'GET', 'HEAD', 'OPTIONS') },
  { weight: 1, arbitrary: fc.constantFrom('PUT', 'DELETE', 'QUERY', 'post', '', '__proto__') },
);
const query = fc.oneof(urlencoded, anyPath);

const request: fc.Arbitrary<RelayRequest> = fc.record({ method, path, query, headers, body });
/** A submission that is delivered unless its values prevent that. */
const submission = fc.record({
  method: fc.constant('POST'),
  path: fc.constantFrom(...forms).map((id) => `/api/v1/submit/${encodeURIComponent(id)}`),
  query: fc.constant(''),
  headers: fc
    .oneof(headers, fc.constant({ accept: 'text/html' }))
    .map((more) => ({ ...more, 'content-type': 'application/x-www-form-urlencoded' })),
  body: urlencoded.map((text) => Buffer.from(text)),
});

/** Every status that the relay may answer (SPEC: Errors; RFC 9110). */
const statuses = [200, 204, 303, 400, 403, 404, 405, 422, 429, 500, 503];

function checkAnswer({ status, headers, body }: RelayResponse, { method }: RelayRequest) {
  expect(statuses).toContain(status);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[a-z-]+$/.test(name) || !/^[ -~]*$/.test(value))
      throw new Error(`unsound header ${name}: ${value}`);
  }
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.vary).toContain('Origin');
  expect([undefined, ...origins.slice(0, 2)]).toContain(headers['access-control-allow-origin']);
  expect(headers.location).toBe(status === 303 ? 'https://example.com/thanks?a=1' : undefined);
  expect(headers.allow !== undefined).toBe(status === 405);
  if (method === 'HEAD' || status === 204 || status === 303) {
    expect(body).toBe('');
    return;
  }
  const type = headers['content-type'] ?? '';
  if (type === 'text/html; charset=utf-8') {
    expect(headers['x-content-type-options']).toBe('nosniff');
    const isFirstPage = status === 200 && method === 'GET' && body.startsWith('<!DOCTYPE');
    expect(headers['cache-control']).toBe(isFirstPage ? 'private, no-cache' : 'no-store');
    expect(body).not.toContain(`<i ${visitor}`);
  } else {
    expect(type).toMatch(/^application\/(problem\+json|json; charset=utf-8)$/);
    const [key] = Object.keys(JSON.parse(body) as object);
    expect(status < 400 ? ['message', 'algorithm'] : ['error', 'type']).toContain(key);
    if (key === 'type')
      expect(JSON.parse(body).type).toMatch(/^(about:blank|https:\/\/[a-z.-]+\/problems\.html#[a-z_]+)$/);
    expect(body).not.toContain(visitor);
  }
  for (const secret of secrets) expect(body).not.toContain(secret);
}

function checkLog(requestId: string | undefined) {
  flush();
  for (const line of lines.split('\n').slice(0, -1)) {
    const event = JSON.parse(line) as Record<string, unknown>;
    if (event.event === 'config_loaded' || event.event === 'output_types_unknown') continue;
    // Refusals by gates are logged once a second, with the most recent request.
    if (event.requests === undefined) expect(event.request_id).toBe(requestId);
    expect(event.event).toMatch(
      /^(submission|refused|client_unknown|delivery_failed|delivery_warning|retrying)$/,
    );
  }
  for (const hidden of [visitor, ...secrets]) expect(lines).not.toContain(hidden);
  lines = '';
}

/** The expected POST from the form `plain`: values in their original form, by key. */
function expectedPost(body: Uint8Array): [string, string][] {
  const sent = [
    ...new URLSearchParams(
      Buffer.from(body)
        .toString('latin1')
        .replaceAll(/[\x80-\xff]/g, encodeByte),
    ),
  ];
  const fieldOf: Record<string, string> = { a: 'a', b: 'b', c: 'undeclared' };
  return ['__proto__', 'a', 'b', 'c'].flatMap((key) =>
    sent.flatMap(([name, value]): [string, string][] =>
      name === (Object.hasOwn(fieldOf, key) ? fieldOf[key] : key) && value !== '' ? [[key, value]] : [],
    ),
  );
}
const encodeByte = (byte: string) => `%${byte.charCodeAt(0).toString(16)}`;

function checkOutputs({ status }: RelayResponse, { method, path, body }: RelayRequest) {
  const isTaken = status === 200 || status === 303;
  const isSubmission = method === 'POST' && path.startsWith('/api/v1/submit/');
  if (!isTaken || !isSubmission) {
    expect([...posts, ...mails]).toEqual([]);
  } else if (path.endsWith('/plain')) {
    expect(posts.map((post) => [...new URLSearchParams(post.body)])).toEqual([
      expectedPost(body ?? Buffer.of()),
    ]);
  } else if (path.endsWith('/mail')) {
    // A dropped submission looks the same.
    expect([0, 2]).toContain(mails.length);
    for (const { to, from, subject } of mails) {
      expect(to[0]).toBe('office@firm.test');
      expect(to.length).toBeLessThanOrEqual(2);
      expect(['forms@firm.test', 'relay@mail.test']).toContain(from);
      expect(subject).not.toMatch(/\p{Cc}/u);
    }
  } else if (/\/(page|a%20b%2Fc%25%C3%A9|captcha)$/.test(path)) {
    expect(posts).toHaveLength(1);
  }
  posts.length = 0;
  mails.length = 0;
}

/** A valid request to each form, so that coverage does not depend on the generator. */
const delivered = ['plain', 'slow', 'page', 'a b/c%é', 'mail', 'captcha', 'guarded'].map(encodeURIComponent);
const soundRequests = [...delivered, 'page?as=page'].map((target): [RelayRequest] => [
  {
    method: 'POST',
    path: `/api/v1/submit/${target.split('?')[0]}`,
    query: target.split('?')[1] ?? '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(
      `a=Ada&_ts=${tokens[0]}&g-recaptcha-response=human&altcha=${encodeURIComponent(solutions[1] ?? '')}`,
    ),
  },
]);

test('any request gets a valid answer, and outputs receive what it says', async () => {
  const params = runs(200);
  const statusesSeen = new Set<number>();
  const formsDelivered = new Set<string>();
  const heap: number[] = [];
  let run = 0;
  await holds(
    { ...params, examples: soundRequests },
    [fc.oneof({ weight: 3, arbitrary: request }, { weight: 2, arbitrary: submission })],
    async (request) => {
      const answer = await relay.handle(request);
      statusesSeen.add(answer.status);
      if (posts.length + mails.length > 0) formsDelivered.add(request.path.slice('/api/v1/submit/'.length));
      checkAnswer(answer, request);
      checkLog(answer.headers['x-request-id']);
      checkOutputs(answer, request);
      run += 1;
      if (isFuzzing && run % Math.ceil(params.numRuns / 10) === 0) heap.push(heapMb());
    },
  );
  // Proof that the requests reached everything.
  expect([...statusesSeen].sort()).toEqual([200, 204, 303, 400, 403, 404, 405, 422, 500]);
  expect([...formsDelivered].sort()).toEqual(delivered.toSorted());
  expect(broken).toEqual([]);
  if (isFuzzing) {
    process.stdout.write(`heap, MB: ${heap.map((mb) => mb.toFixed(1)).join(' ')}\n`);
    expect((heap.at(-1) ?? 0) - (heap[0] ?? 0)).toBeLessThan(10);
  }
});
