/**
 * Any value in an HTTP POST, byte by byte, and in the log. For mails, see test/attack/mail.test.ts and the
 * properties in packages/clients/test/transports; for recipients, test/spec/output_types.test.ts.
 */
import fc from 'fast-check';
import { createLog } from '../../packages/runtimes/src/log.ts';
import { holds, runs } from '../support/fuzz.ts';
import { startRawServer, startRelay, type TestRelay } from '../support/index.ts';

/** An HTTP request as received, one character per byte. */
interface RawPost {
  readonly head: string;
  readonly body: string;
}

/** Accepts requests without an HTTP parser, which would hide malformed ones; one per connection. */
async function startRawSink() {
  const posts: RawPost[] = [];
  const { port, close } = await startRawServer({
    post: (socket, body, head) => {
      posts.push({ head: head.slice(0, -4), body });
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    },
  });
  return { port, posts, close };
}

let http: Awaited<ReturnType<typeof startRawSink>>;
let relay: TestRelay;
let written = '';
const { log, flush } = createLog(Date.now, 'info', (bytes) => {
  written += bytes;
  return bytes.length;
});

beforeAll(async () => {
  http = await startRawSink();
  const config = `forms:
  contact:
    fields: [{name: id}, {name: a}, {name: b}]
    outputs:
      - type: http_post
        url: http://127.0.0.1:${http.port}/
        headers: {X-Visitor: "<{{ .fields.a }}>", X-Fixed: fixed, X-Key: '{{ env "KEY" }}'}
        mapping: {id: id, a: a, b: b}
        static: {t: "<{{ .fields.a | trim }}>"}
`;
  relay = await startRelay({ config, env: { KEY: 'S3CRET' }, effects: { log } });
});
afterAll(() => Promise.all([relay.close(), http.close()]));

/** Submits values as a visitor's bytes, concurrently, and checks that every delivery is harmless. */
async function expectHarmless(values: readonly string[]) {
  const before = http.posts.length;
  written = '';
  const answers = await Promise.all(
    values.map((value, index) =>
      relay.submit('contact', [
        ['id', `n${index}`],
        ['a', value],
        ['b', 'safe'],
        [`undeclared ${value.slice(0, 99)}`, value.slice(0, 99)],
      ]),
    ),
  );
  flush();
  expect(written.split('\n').filter((line) => line.includes('"delivery_failed"'))).toEqual([]);
  expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
  const posts = new Map(
    http.posts.slice(before).map((post) => [new URLSearchParams(post.body).get('id'), post]),
  );
  for (const [index, value] of values.entries())
    checkPost(posts.get(`n${index}`) as RawPost, value, `n${index}`);
  expect(http.posts.length - before).toBe(values.length);
  checkLog(values);
}

const names =
  'accept-encoding connection content-length content-type form-relay-hops host idempotency-key traceparent user-agent x-fixed x-key x-visitor';

function checkPost({ head, body }: RawPost, value: string, id: string) {
  expect(head).not.toMatch(/(?<!\r)\n|\r(?!\n)|\0/);
  const [requestLine, ...lines] = head.split('\r\n');
  expect(requestLine).toBe('POST / HTTP/1.1');
  expect(lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase()).sort()).toEqual(
    names.split(' '),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^x-fixed: fixed$/i));
  const visitor = lines.find((line) => /^x-visitor: /i.test(line)) ?? '';
  // Each character is a byte: bytes of UTF-8 may look like C1 controls, but there are no ASCII controls.
  expect([...visitor].filter((byte) => byte < ' ' || byte === '\x7f')).toEqual([]);
  expect(visitor).toMatch(/^x-visitor: <.*>$/is);
  const sent = [
    ['a', value],
    ['b', 'safe'],
    ['id', id],
    ['t', `<${value.trim()}>`],
  ].filter(([, text]) => text !== '');
  expect([...new URLSearchParams(body)]).toEqual(sent);
}

/** Each line is a JSON object, and the relay wrote all of them. */
function checkLog(values: readonly string[]) {
  const lines = written.split('\n').slice(0, -1);
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const known = ['config_loaded', 'delivery_warning', 'submission'];
  expect(events.filter(({ event }) => !known.includes(String(event)))).toEqual([]);
  expect(events.filter(({ event }) => event === 'submission')).toHaveLength(values.length);
  expect(written).not.toContain('S3CRET');
  for (const value of values.filter((some) => some.length > 7)) {
    expect(written).not.toContain(value);
    expect(written).not.toContain(JSON.stringify(value).slice(1, -1));
  }
}

const breaks = '\r|\n|\r\n|\n\r|\0|\v|\f|\u0085|\u2028|\u2029|\x1b[2J|%0d%0a|\\r\\n'.split('|');

test('classic injections have no effect', () =>
  expectHarmless([
    ...breaks.flatMap((mark) => [
      mark,
      `x${mark}b=forged`,
      `x${mark}${mark}forged body`,
      `x${mark}{"level":"info","event":"forged"}`,
      `x${mark} folded: evil`,
      `x${mark}Content-Length: 0${mark}${mark}POST /smuggled HTTP/1.1`,
    ]),
    ...['{{ env "KEY" }}', '{{', '}}', '{{ .fields.b }}', '{{/*', '{{ values "b" }}', '\\{{ env "KEY" }}'],
    ...['.', '\r\n.\r\n', '__proto__', 'b=forged', '=forged', '\tb=x', ' ', '\ufeff', '\ufffe'],
    ...[`${'x'.repeat(9_000)}\r\nX-Evil: x`, `${'word '.repeat(1_500)}\r\nb=forged`, 'ü'.repeat(4_000)],
  ]));

test('no text has any effect', async () => {
  const mark = fc.constantFrom(...'\r|\n|\r\n|\0|\u0085|\u2028|.|,|@|:|=|<|>|"|{{|}}| |\t'.split('|'));
  const word = fc.constantFrom(...'X-Evil|b=forged|env "KEY"|%0d%0a|ü|🙂|x'.split('|'));
  const value = fc.oneof(
    fc.array(fc.oneof(mark, word), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  await holds(runs(3, 0.001), [fc.array(value, { minLength: 24, maxLength: 32 })], expectHarmless);
});
