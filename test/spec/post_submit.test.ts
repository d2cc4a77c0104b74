import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpClient } from '../../packages/core/src/services.ts';
import { gate } from '../support/gate.ts';
import type { TestRelay } from '../support/relay.ts';
import { posted } from './read.ts';
import { httpSink, relayWith } from './stage.ts';

const urlencoded = 'application/x-www-form-urlencoded';

/** Forms for every ending. `order` uses all checks; `broken` and `tolerant` have an output that fails. */
async function staged(options: { secret?: string; http?: HttpClient } = {}) {
  const { secret = 'signing secret', http } = options;
  const sink = await httpSink();
  const failing = await httpSink({ answer: () => ({ status: 500 }) });
  const captchas = await httpSink({
    answer: ({ body }) => ({ body: `{"success": ${body.includes('good')}}` }),
  });
  const good = `{type: http_post, url: "${sink.origin}/", mapping: "*"}`;
  const bad = (policy: string) =>
    `{type: http_post, url: "${failing.origin}/", mapping: "*", on_error: ${policy}}`;
  const fields = '[{name: name, required: true}, {name: email, type: email}, {name: age, type: number}]';
  const config = `
    forms:
      contact: {fields: ${fields}, outputs: [${good}], spam: {honeypot: website}}
      timed: {fields: ${fields}, outputs: [${good}], spam: {honeypot: website, min_fill_seconds: 2, form_ttl: 1h}}
      guarded:
        fields: ${fields}
        outputs: [${good}]
        captcha: {provider: hcaptcha, secret: x, verify_url: "${captchas.origin}/"}
      broken: {fields: ${fields}, outputs: [${bad('fail')}, ${good}]}
      tolerant: {fields: ${fields}, outputs: [${bad('continue')}, ${good}]}
      unregistered: {fields: ${fields}, outputs: [{type: carrier_pigeon, on_error: continue}, ${good}]}
      "ünïcode / form": {fields: ${fields}, outputs: [${good}]}`;
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const effects = { now: () => clock.ms, ...(http && { http }) };
  const relay = await relayWith({ config, env: { FORM_TOKEN_SECRET: secret }, effects });
  return { relay, sink, failing, captchas, clock };
}

const ann: [string, string][] = [['name', 'Ann']];

test('404: a form name that cannot be percent-decoded', async () => {
  const { relay } = await staged();
  const init = { method: 'POST', headers: { 'content-type': urlencoded }, body: 'name=Ann' };
  expect((await relay.request('/api/v1/submit/%E0%A4%A', init)).status).toBe(404);
});

test.each<[body: string, relayed: [string, string][]]>([
  ['name=a+b%2Bc', [['name', 'a b+c']]],
  ['name=%C3%A4%E2%82%AC%F0%9F%98%80', [['name', 'ä€😀']]],
  ['n%61me=Ann', [['name', 'Ann']]],
  ['name=a;email=b', [['name', 'a;email=b']]],
  ['name=a=b', [['name', 'a=b']]],
  ['&&name=Ann&', [['name', 'Ann']]],
  ['name=Ann&email', [['name', 'Ann']]],
  ['name=Ann&__proto__=x&constructor=y', [['name', 'Ann']]],
  [
    'name=first&name=second',
    [
      ['name', 'first'],
      ['name', 'second'],
    ],
  ],
  ['name=%0D%0Aline', [['name', '\r\nline']]],
  ['name=%00', [['name', '\0']]],
])('the body: %s is read as %j', async (body, relayed) => {
  const { relay, sink } = await staged();
  expect((await relay.submit('contact', body)).status).toBe(200);
  expect(posted(sink)).toEqual([relayed]);
});

describe('the maximum body size is 65,536 bytes', () => {
  const bodyOf = (bytes: number) => `name=Ann&pad=${'x'.repeat(bytes - 'name=Ann&pad='.length)}`;
  const head = 'POST /api/v1/submit/contact HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n';
  const chunked = (body: string) =>
    `${body.replace(/.{1,9999}/g, (part) => `${part.length.toString(16)}\r\n${part}\r\n`)}0\r\n\r\n`;
  const framings: Record<string, (body: string) => [headers: string, body: string]> = {
    'Content-Length': (body) => [`Content-Length: ${body.length}\r\n`, body],
    chunked: (body) => ['Transfer-Encoding: chunked\r\n', chunked(body)],
  };

  test.each(
    Object.keys(framings).flatMap((framing) => [
      [framing, 65_536, 200],
      [framing, 65_537, 400],
      [framing, 900_000, 400],
    ]) as [string, number, number][],
  )('%s, %i bytes: %i, and the answer arrives', async (framing, bytes, status) => {
    const { relay, sink } = await staged();
    const [headers, body] = framings[framing]?.(bodyOf(bytes)) ?? ['', ''];
    const answer = await exchange(relay, `${head}Content-Type: ${urlencoded}\r\n${headers}\r\n${body}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.split('\r\n\r\n')[1]).toMatch(/^\{"(message|error)":"[^"]+"\}$/);
    expect(sink.requests).toHaveLength(status === 200 ? 1 : 0);
  });
});

test('submission rules 5. every output is attempted at the same time: a slow one does not hold the others up', async () => {
  const { open: release, opened: waiting } = gate();
  const slow = await httpSink({ answer: () => waiting.then(() => ({})) });
  const fast = await httpSink({
    answer: () => {
      release();
      return {};
    },
  });
  const post = (url: string) => ({ type: 'http_post', url, mapping: '*' });
  const outputs = [post(slow.origin), post(fast.origin)];
  const config = JSON.stringify({ forms: { contact: { fields: [{ name: 'name' }], outputs } } });
  const relay = await relayWith({ config });
  expect((await relay.submit('contact', ann)).status).toBe(200);
  expect([slow.requests.length, fast.requests.length]).toEqual([1, 1]);
});

/**
 * Sends raw bytes, and what follows once the answer so far is `awaited`; gives all that came back when the relay closes.
 * Fails when the connection is reset, and when it stays open without an answer.
 */
async function exchange(relay: TestRelay, request: string, ...then: [awaited: string, more: string][]) {
  const socket = net.connect(Number(new URL(relay.origin).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    if (then[0] && received.endsWith(then[0][0])) socket.write(then.shift()?.[1] ?? '');
  });
  socket.write(request);
  await once(socket, 'end', { signal: AbortSignal.timeout(5000) });
  return received;
}
