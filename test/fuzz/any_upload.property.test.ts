/** Arbitrary JSON and multipart bodies through the whole pipeline: forms with files, lists and a honeypot. */
import fc from 'fast-check';
import { createRelay } from '../support/bare_relay.ts';
import { holds } from '../support/fuzz.ts';

const config = `forms:
  jobs:
    bodies: [json]
    fields:
      - {name: a, required: true, max_length: 40}
      - {name: mails, type: email}
      - {name: boxes, type: checkboxes, options: [x, "y"]}
      - {name: consent, type: checkbox}
      - {name: cv, type: file, accept: [pdf, text], max_size: 1KB}
      - {name: photos, type: file, multiple: true, max_files: 2, visible_when: {field: consent, filled: true}}
    spam: {honeypot: website}
    outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]
`;
let posts: string[] = [];
const failures: string[] = [];
const relay = createRelay({
  config,
  env: { THROTTLE_RATE_LIMIT: '1000000000', THROTTLE_BURST_LIMIT: '1000000000' },
  effects: {
    log: (_, event) => {
      if (event === 'internal_error') failures.push(event);
    },
    http: async ({ body }) => {
      posts.push(body);
      return { status: 200, headers: {}, body: '' };
    },
  },
});
afterAll(() => relay.close());

const name = fc.constantFrom(
  ...['a', 'a', 'mails', 'boxes', 'consent', 'cv', 'cv', 'photos', 'website', 'other', ''],
);
const text = fc.oneof(
  fc.constantFrom('', 'x', 'y', 'on', 'a@b.test', 'cv.pdf', '\r\n', '"', '\u2028'),
  fc.string({ unit: 'binary', maxLength: 50 }),
);
const content = fc.oneof(
  fc.constantFrom(
    ...['', '%PDF-1.7', 'plain', '<script>', 'MZ', 'PK\x03\x04', '\x89PNG\r\n\x1a\n', 'x'.repeat(1_025)],
  ),
  fc.uint8Array({ maxLength: 60 }),
);
const filename = fc.oneof(
  fc.constantFrom('', 'cv.pdf', 'cv.txt', 'a.exe', '../a.pdf', 'a\u202Efdp.exe', 'CON.pdf', '.pdf', 'a.png'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((some) => some.replaceAll(/["\r\n]/g, '')),
);
const part = fc
  .tuple(name, fc.option(filename), content, fc.constantFrom('', 'Content-Type: application/pdf\r\n'))
  .map(([name, filename, bytes, type]) => {
    const head = `--B\r\nContent-Disposition: form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}\r\n${type}\r\n`;
    return Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from('\r\n')]);
  });
const multipart = fc.array(part, { maxLength: 5 }).map((parts) => ({
  type: 'multipart/form-data; boundary=B',
  body: Buffer.concat([...parts, Buffer.from('--B--')]),
}));

const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.double(),
  fc.constant({}),
  fc.constant([[]]),
);
const json = fc
  .array(fc.tuple(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))), { maxLength: 5 })
  .map((members) => ({
    type: 'application/json; charset=utf-8',
    body: Buffer.from(
      `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
    ),
  }));
const sent = fc.oneof({ weight: 3, arbitrary: multipart }, json).chain(({ type, body }) =>
  fc.record({
    type: fc.constant(type),
    body: fc.oneof(
      { weight: 4, arbitrary: fc.constant(body) },
      fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 4 })).map(([place, some]) => {
        const at = place % (body.length + 1);
        return Buffer.concat([body.subarray(0, at), some, body.subarray(at + some.length)]);
      }),
    ),
    path: fc.constantFrom('/api/v1/submit/jobs', '/api/v1/submit/jobs', '/api/v1/check/jobs'),
    accept: fc.constantFrom('application/problem+json', 'application/problem+json', '*/*', 'text/html'),
    query: fc.constantFrom('', 'as=page', 'step=1'),
    htmx: fc.constantFrom(undefined, 'true'),
  }),
);

test('any body gets an answer that matches what happened', async () => {
  const seen = new Set<number>();
  await holds(200, [sent], async ({ type, body, path, accept, query, htmx }) => {
    posts = [];
    const headers = { 'content-type': type, accept, ...(htmx && { 'hx-request': htmx }) };
    const answer = await relay.handle({ method: 'POST', path, query, headers, body });
    seen.add(answer.status);
    const isCheck = path.includes('/check/');
    expect(isCheck ? [204, 400, 404, 422] : [200, 400, 422]).toContain(answer.status);
    // With a filled honeypot, the answer says that all is well.
    if (answer.status !== 200) expect(posts).toEqual([]);
    if (answer.headers['content-type'] !== 'application/problem+json') return;
    const { code, errors = [] } = JSON.parse(answer.body) as { code: string; errors?: object[] };
    expect(code).toMatch(/^[a-z0-9_]+$/);
    for (const error of errors) {
      expect(error).toMatchObject({
        field: expect.any(String),
        code: expect.stringMatching(/^[a-z_]+$/),
        message: expect.stringMatching(/\S/),
        pointer: expect.stringMatching(/^\/[^/]*(\/\d+)?$/),
      });
    }
  });
  expect([...seen]).toEqual(expect.arrayContaining([200, 204, 400, 422]));
  expect(failures).toEqual([]);
});
