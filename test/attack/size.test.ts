/** Input that is too large is refused with an answer, after reading little more than the limit. */
import { ok } from '../../packages/base/src/result.ts';
import { contact, gate, heapMb, relayWith } from '../support/index.ts';
import { answersIn, chunk, connect, exchange, postHead, urlencoded } from './stage.ts';

const fields = '[{name: name}]';
const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: forms.test', 'Connection: close', ...lines, '', ''].join('\r\n');
const post = (body: string) => postHead(`Content-Length: ${body.length}`, 'Connection: close') + body;
const many = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n));

test.each<[what: string, bytes: string, status: number]>([
  ['a header of 20,000 bytes', get('/healthz', `X: ${'x'.repeat(20_000)}`), 431],
  ['a header name of 20,000 bytes', get('/healthz', `${'x'.repeat(20_000)}: x`), 431],
  [
    'headers of 100 bytes that make 20,000',
    get('/healthz', ...many(200, (n) => `X${n}: ${'x'.repeat(95)}`)),
    431,
  ],
  ['a cookie that never ends', get('/healthz', `Cookie: ${'a=b; '.repeat(5_000)}`), 431],
  ['a target of 20,000 bytes', get(`/${'x'.repeat(20_000)}`), 431],
  ['a query of 20,000 bytes', get(`/api/v1/form/contact?name=${'x'.repeat(20_000)}`), 431],
  ['a method of 20,000 bytes', `${'X'.repeat(20_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`, 400],
  [
    'a chunk extension of 20,000 bytes',
    `${postHead('Transfer-Encoding: chunked')}8;${'x'.repeat(20_000)}\r\nname=Ann\r\n0\r\n\r\n`,
    413,
  ],
  [
    'trailers of 20,000 bytes',
    `${postHead('Transfer-Encoding: chunked')}${chunk('name=Ann')}0\r\n${many(200, (n) => `X${n}: ${'x'.repeat(95)}\r\n`).join('')}\r\n`,
    431,
  ],
  ['a form name of 10,000 bytes', get(`/api/v1/form/${'x'.repeat(10_000)}`), 404],
  ['a form name of 3,333 percent signs', get(`/api/v1/form/${'%25'.repeat(3_333)}`), 404],
  ['an Origin of 10,000 bytes', get('/healthz', `Origin: https://${'x'.repeat(10_000)}.test`), 200],
  [
    'an Accept of 5,000 kinds',
    get('/api/v1/form/contact', `Accept: ${'text/a,'.repeat(2_000)}text/html`),
    200,
  ],
  ['65,536 ampersands', post('&'.repeat(65_536)), 200],
  ['32,768 fields without a name', post('=&'.repeat(32_768)), 200],
  ['a field name of 65,536 bytes', post('x'.repeat(65_536)), 200],
  ['32,768 values of one field', post('x&'.repeat(32_768)), 200],
  ['10,922 values of the declared field', post('name=&'.repeat(10_922)), 200],
  [
    'a value one byte too long, in percent signs of two bytes each',
    post(`name=${'%C3%BC'.repeat(5_000)}x`),
    422,
  ],
  [
    'a value that is as long as it may be, in percent signs of two bytes each',
    post(`name=${'%C3%BC'.repeat(5_000)}`),
    200,
  ],
])('%s', async (_what, bytes, status) => {
  const relay = await contact({ fields });
  expect(answersIn(await exchange(relay, bytes)).map((answer) => answer.status)).toEqual([status]);
  expect(JSON.stringify(relay.logged)).not.toMatch(/x{100}/);
  expect((await relay.get('/healthz')).status).toBe(200);
});

/** `"` is six times as long in HTML. */
test.each([
  ['many values of one field', 'name=a&'.repeat(9_000)],
  ['many undeclared fields, all empty', many(9_000, (n) => `f${n}=&`).join('')],
  ['many values that no field takes', 'other=1&'.repeat(8_000)],
  ['quotes', `name=${'"'.repeat(5_000)}&`.repeat(13)],
])('a form returned because of %s is at most six times as long as the input', async (_what, sent) => {
  for (const key of ['', ', accept_undeclared: true']) {
    const relay = await contact({
      fields: '[{name: name}, {name: city, required: true}]',
      outputs: `[{type: http_post, url: $sink, mapping: "*"}]${key}`,
    });
    for (const lines of [['HX-Request: true'], ['Accept: text/html']]) {
      const head = postHead(`Content-Length: ${sent.length}`, 'Connection: close', ...lines);
      const [answer] = answersIn(await exchange(relay, head + sent));
      expect(answer?.status).toBe(422);
      expect(answer?.body.length).toBeLessThan(Math.max(sent.length * 6, 50_000));
    }
  }
});

test('many headers do not hide a later one', async () => {
  const relay = await contact({ fields });
  const filler = many(2_500, () => 'a:');
  const second = await exchange(relay, get('/healthz', ...filler, 'Host: other.test'));
  expect(answersIn(second).map(({ status }) => status)).toEqual([400]);
  const head = [
    'POST /api/v1/submit/contact HTTP/1.1',
    'Host: x',
    ...filler,
    `Content-Type: ${urlencoded}`,
    'Content-Length: 8',
    'Connection: close',
    '',
    '',
  ];
  expect(
    answersIn(await exchange(relay, `${head.join('\r\n')}name=Ann`)).map(({ status }) => status),
  ).toEqual([200]);
});

test('a body that is too long, followed by bytes that are not HTTP, is answered once, even while a config loads', async () => {
  const broken: unknown[] = [];
  const onBroken = (reason: unknown) => void broken.push(reason);
  process.on('unhandledRejection', onBroken);
  onTestFinished(() => void process.off('unhandledRejection', onBroken));
  let letRead = () => {};
  const reading = new Promise<{ readonly text: string; readonly modifiedAt: number }>((resolve) => {
    letRead = () => resolve({ text: 'forms: {}', modifiedAt: 0 });
  });
  const relay = await relayWith({
    env: { CONFIG_FILE: 'forms.yaml' },
    effects: { readFile: async () => ok(await reading) },
  });

  const size = 1_048_580;
  const body = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\nno chunk\r\n`;
  const received = await exchange(relay, postHead('Transfer-Encoding: chunked') + body);
  letRead();
  // Resolves when the config has loaded, so every answer has been written.
  expect((await relay.get('/readyz')).status).toBe(200);
  expect(answersIn(received).map(({ status }) => status)).toEqual([400]);
  expect(broken).toEqual([]);
});

test('a body sent byte by byte takes little more memory than its length', async () => {
  const relay = await contact({ fields });
  const before = heapMb();
  const pieces = chunk('x').repeat(60_000);
  for (let n = 0; n < 5; n += 1) {
    const { socket } = connect(relay);
    // The body never ends, so it is held.
    await new Promise((resolve) =>
      socket.write(postHead('Transfer-Encoding: chunked') + pieces, () => resolve(undefined)),
    );
    await relay.get('/healthz');
  }
  // Held byte by byte, they would take 40 MB.
  expect(heapMb() - before).toBeLessThan(8);
});

test('undeclared names are not kept while an output is slow', async () => {
  const { open: release, opened: released } = gate();
  let calls = 0;
  const http = async () => {
    calls += 1;
    await released;
    return { status: 200, headers: {}, body: '' };
  };
  const relay = await contact({ fields, effects: { http } });
  const before = heapMb();
  const body = `name=Ann&${many(9_000, (n) => `n${n}=`).join('&')}`;
  const answers = Array.from({ length: 12 }, () => relay.submit('contact', body));
  await expect.poll(() => calls).toBe(answers.length);
  const heldMb = heapMb() - before;
  release();
  expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
  // With all names, the relay held 15 MB.
  expect(heldMb).toBeLessThan(8);
});
