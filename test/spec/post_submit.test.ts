import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpClient } from '../../packages/relay/src/base/effects.ts';
import type { TestRelay } from '../support/relay.ts';
import { posted, tokenIn } from './read.ts';
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

describe('POST /api/v1/submit/{form}', () => {
  describe('200', () => {
    test('accepted and delivered', async () => {
      const { relay, sink } = await staged();
      const answer = await relay.submit('contact', [
        ['name', 'Ann'],
        ['email', 'ann@example.com'],
      ]);
      expect([answer.status, answer.text]).toEqual([200, '{"message":"ok"}']);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(posted(sink)).toEqual([
        [
          ['email', 'ann@example.com'],
          ['name', 'Ann'],
        ],
      ]);
    });

    test('a failed output with `on_error: continue` is logged and not surfaced', async () => {
      const { relay, sink } = await staged();
      const answer = await relay.submit('tolerant', ann);
      expect([answer.status, answer.text]).toEqual([200, '{"message":"ok"}']);
      expect(sink.requests).toHaveLength(1);
      expect(relay.logged).toContainEqual(
        expect.objectContaining({
          event: 'delivery_failed',
          form: 'tolerant',
          output: 0,
          on_error: 'continue',
        }),
      );
    });

    test.each(['%C3%BCn%C3%AFcode%20%2F%20form', '%c3%bcn%c3%afcode%20%2f%20form'])(
      'the form name is percent-decoded: %s',
      async (name) => {
        const { relay, sink } = await staged();
        const init = { method: 'POST', headers: { 'content-type': urlencoded }, body: 'name=Ann' };
        expect((await relay.request(`/api/v1/submit/${name}`, init)).status).toBe(200);
        expect(sink.requests).toHaveLength(1);
      },
    );

    test.each([
      urlencoded,
      'application/x-www-form-urlencoded;charset=UTF-8',
      'application/x-www-form-urlencoded ; charset=utf-8',
      'Application/X-WWW-Form-Urlencoded',
    ])('Content-Type %s is right', async (type) => {
      const { relay } = await staged();
      expect((await relay.submit('contact', 'name=Ann', { 'content-type': type })).status).toBe(200);
    });
  });

  describe('400', () => {
    test.each(['/api/v1/submit', '/api/v1/submit/'])('the form name is missing: %s', async (path) => {
      const { relay } = await staged();
      const answer = await relay.request(path, {
        method: 'POST',
        headers: { 'content-type': urlencoded },
        body: 'name=Ann',
      });
      expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
    });

    test.each([
      'application/json',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/x-www-form-urlencoded-not',
      'application/x-www-form-urlencodedish; charset=utf-8',
      '',
    ])('Content-Type %j is wrong', async (type) => {
      const { relay, sink } = await staged();
      const answer = await relay.submit('contact', 'name=Ann', { 'content-type': type });
      expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
      expect(sink.requests).toEqual([]);
    });

    test('there is no Content-Type', async () => {
      const { relay } = await staged();
      const body = new TextEncoder().encode('name=Ann');
      expect((await relay.request('/api/v1/submit/contact', { method: 'POST', body })).status).toBe(400);
    });

    const malformed = [
      '%',
      'name=%',
      'name=%4',
      'name=%zz',
      '%zz=1',
      'name=50%25%',
      '%FF=1',
      'name=%C3',
      'name=%C3%28',
    ];
    test.each([...malformed, 'name=%ED%A0%80', 'name=%C0%80', 'name=Ann&x=%F8%88%80%80%80'])(
      'the body is malformed: %s',
      async (body) => {
        const { relay, sink } = await staged();
        const answer = await relay.submit('contact', body);
        expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
        expect(sink.requests).toEqual([]);
      },
    );

    test.each([[0xff], [0xc3], [0xed, 0xa0, 0x80]])(
      'the body has raw bytes that are not UTF-8: %i',
      async (...bytes) => {
        const { relay } = await staged();
        const body = Uint8Array.from([...Buffer.from('name='), ...bytes.flat()]);
        expect((await relay.submit('contact', body)).status).toBe(400);
      },
    );

    test.each(['gzip', 'br', 'deflate'])('the body is compressed: %s', async (encoding) => {
      const { relay } = await staged();
      const answer = await relay.submit('contact', 'name=Ann', { 'content-encoding': encoding });
      expect(answer.status).toBe(400);
    });

    test.each([[], [['h-captcha-response', 'bad']]] as [string, string][][])(
      'the captcha is missing or failed: %j',
      async (...token) => {
        const { relay, sink } = await staged();
        const answer = await relay.submit('guarded', [...ann, ...token]);
        expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
        expect(sink.requests).toEqual([]);
      },
    );
  });

  test.each(['nosuch', 'Contact', 'contact ', '__proto__', 'constructor', 'a/b', '%', 'é'])(
    '404: %j is no form',
    async (form) => {
      const { relay } = await staged();
      const answer = await relay.submit(form, ann);
      expect([answer.status, answer.json]).toEqual([404, { error: expect.any(String) }]);
    },
  );

  test('404: a form name that cannot be percent-decoded', async () => {
    const { relay } = await staged();
    const init = { method: 'POST', headers: { 'content-type': urlencoded }, body: 'name=Ann' };
    expect((await relay.request('/api/v1/submit/%E0%A4%A', init)).status).toBe(404);
  });

  describe('422', () => {
    test.each<[what: string, values: [string, string][], form?: string]>([
      ['a required field is missing', []],
      ['a required field is empty', [['name', '']]],
      ['an e-mail address is invalid', [...ann, ['email', 'ann']]],
      ['a value has the wrong type', [...ann, ['age', 'old']]],
      ['a value is over 10,000 bytes', [['name', 'x'.repeat(10_001)]]],
      ['a field is missing, whatever on_error says', [], 'tolerant'],
    ])('%s', async (_, values, form = 'contact') => {
      const { relay, sink } = await staged();
      const answer = await relay.submit(form, values);
      expect([answer.status, answer.json]).toEqual([422, { error: expect.any(String) }]);
      expect(sink.requests).toEqual([]);
    });

    test('the min-fill token is older than form_ttl', async () => {
      const { relay, sink, clock } = await staged();
      const _ts = tokenIn((await relay.get('/api/v1/token/timed')).text);
      clock.ms += 3_600_001;
      const answer = await relay.submit('timed', [...ann, ['_ts', _ts]]);
      expect([answer.status, answer.text]).toEqual([422, '{"error":"form expired, please reload"}']);
      expect(sink.requests).toEqual([]);
    });
  });

  describe('500', () => {
    test('the config cannot be loaded', async () => {
      const relay = await relayWith({ config: 'forms: {contact: {}}' });
      const answer = await relay.submit('contact', ann);
      expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
    });

    test('an output with the fail policy does not deliver; the others still do', async () => {
      const { relay, sink, failing } = await staged();
      const answer = await relay.submit('broken', ann);
      expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
      expect([failing.requests.length, sink.requests.length]).toEqual([1, 1]);
    });

    test('an output is of an unregistered type, even with `on_error: continue`; the others still deliver', async () => {
      const { relay, sink } = await staged();
      const answer = await relay.submit('unregistered', ann);
      expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
      expect(sink.requests).toHaveLength(1);
    });

    test('min-fill is on and FORM_TOKEN_SECRET empty', async () => {
      const { relay, sink } = await staged({ secret: '' });
      const answer = await relay.submit('timed', ann);
      expect([answer.status, answer.json]).toEqual([500, { error: expect.any(String) }]);
      expect(sink.requests).toEqual([]);
    });
  });

  describe('the body', () => {
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
    ])('%s is read as %j', async (body, relayed) => {
      const { relay, sink } = await staged();
      expect((await relay.submit('contact', body)).status).toBe(200);
      expect(posted(sink)).toEqual([relayed]);
    });

    test('raw UTF-8 is read like percent-encoded', async () => {
      const { relay, sink } = await staged();
      await relay.submit('contact', Buffer.from('name=ä€😀'));
      expect(posted(sink)).toEqual([[['name', 'ä€😀']]]);
    });

    test('an empty body is no error of its own', async () => {
      const { relay } = await staged();
      expect((await relay.submit('contact', '')).status).toBe(422);
    });

    test('a query does not count as the body', async () => {
      const { relay } = await staged();
      const init = { method: 'POST', headers: { 'content-type': urlencoded }, body: '' };
      expect((await relay.request('/api/v1/submit/contact?name=Ann', init)).status).toBe(422);
    });
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

    test.each(Object.keys(framings))(
      '%s: a client that expects 100-continue is told to go on',
      async (framing) => {
        const { relay } = await staged();
        const [headers, body] = framings[framing]?.('name=Ann') ?? ['', ''];
        const answer = await exchange(
          relay,
          `${head}Content-Type: ${urlencoded}\r\nExpect: 100-continue\r\n${headers}\r\n`,
          ['HTTP/1.1 100 Continue\r\n\r\n', body],
        );
        expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
      },
    );

    test('a client that expects 100-continue for too much is refused before it sends', async () => {
      const { relay } = await staged();
      const headers = `Content-Type: ${urlencoded}\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n`;
      const answer = await exchange(relay, `${head}${headers}\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 .*\{"error":"the body is over 64 KB"\}$/s);
    });

    test('a slow sender of too much gets the answer, not a reset connection', async () => {
      const { relay } = await staged();
      const socket = net.connect(Number(new URL(relay.origin).port), '127.0.0.1').setEncoding('utf8');
      onTestFinished(() => void socket.destroy());
      const ended = once(socket, 'end', { signal: AbortSignal.timeout(5000) });
      ended.catch(() => undefined);
      socket.write(`${head}Content-Type: ${urlencoded}\r\nContent-Length: 500000\r\n\r\n`);
      for (let part = 0; part < 50; part += 1) {
        socket.write('x'.repeat(10_000));
        // Gives the relay time to read it.
        await relay.get('/healthz');
      }
      // Like a browser, it listens when it has sent everything.
      let received = '';
      socket.on('data', (text: string) => {
        received += text;
      });
      await ended;
      expect(received).toMatch(/^HTTP\/1.1 400 .*\{"error":"the body is over 64 KB"\}$/s);
    });

    test('bytes count as sent, before percent-decoding', async () => {
      const { relay } = await staged();
      const pad = 65_536 - 'name=Ann&pad='.length;
      const encoded = `${'%41'.repeat(Math.floor(pad / 3))}${'A'.repeat(pad % 3)}`;
      expect((await relay.submit('contact', `name=Ann&pad=${encoded}`)).status).toBe(200);
      expect((await relay.submit('contact', `name=Ann&pad=${encoded}A`)).status).toBe(400);
    });
  });

  describe('drops and successes are answered alike, so that a bot learns nothing', () => {
    /** All that a client can compare. */
    const seen = ({ status, text, headers }: Awaited<ReturnType<TestRelay['get']>>) => {
      const shown = new Map(headers);
      expect(shown.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      for (const name of ['x-request-id', 'date']) shown.delete(name);
      return { status, text, headers: [...shown].sort() };
    };

    test.each<Record<string, string>>([{}, { 'HX-Request': 'true' }, { Accept: 'application/problem+json' }])(
      '%j',
      async (headers) => {
        const { relay, sink, clock } = await staged();
        const _ts = tokenIn((await relay.get('/api/v1/token/timed')).text);
        const early = await relay.submit('timed', [...ann, ['_ts', _ts]], headers);
        clock.ms += 2000;
        const accepted = await relay.submit('timed', [...ann, ['_ts', _ts]], headers);
        expect(sink.requests).toHaveLength(1);
        const trapped = await relay.submit('timed', [...ann, ['_ts', _ts], ['website', 'x']], headers);
        const missing = await relay.submit('timed', ann, headers);
        const forged = await relay.submit('timed', [...ann, ['_ts', 'forged']], headers);
        for (const drop of [early, trapped, missing, forged]) expect(seen(drop)).toEqual(seen(accepted));
        expect(sink.requests).toHaveLength(1);
      },
    );
  });

  describe('submission rules', () => {
    test.each<[string, string[]]>([
      ['any non-empty value', ['x']],
      ['a space', [' ']],
      ['one of several values', ['', 'x']],
    ])('1. %s in the honeypot: 200, nothing is relayed, and validation says nothing', async (_, values) => {
      const { relay, sink } = await staged();
      const answer = await relay.submit(
        'contact',
        values.map((value) => ['website', value]),
      );
      expect([answer.status, answer.text]).toEqual([200, '{"message":"ok"}']);
      expect(sink.requests).toEqual([]);
    });

    test('1. an empty honeypot is stripped before mapping', async () => {
      const sink = await httpSink();
      const relay = await relayWith({
        config: `forms: {contact: {fields: [{name: name}], spam: {honeypot: website}, outputs: [
          {type: http_post, url: "${sink.origin}", mapping: {name: name, w: website}, static: {t: "[{{ .fields.website }}]"}}]}}`,
      });
      await relay.submit('contact', [...ann, ['website', ''], ['website', '']]);
      expect(posted(sink)).toEqual([
        [
          ['name', 'Ann'],
          ['t', '[]'],
        ],
      ]);
    });

    test('2. a token outside its window drops or expires before validation says anything', async () => {
      const { relay, clock } = await staged();
      const _ts = tokenIn((await relay.get('/api/v1/token/timed')).text);
      expect((await relay.submit('timed', [['_ts', _ts]])).status).toBe(200);
      clock.ms += 2000;
      expect((await relay.submit('timed', [['_ts', _ts]])).json).not.toEqual({
        error: 'form expired, please reload',
      });
      clock.ms += 3_600_000;
      expect((await relay.submit('timed', [['_ts', _ts]])).json).toEqual({
        error: 'form expired, please reload',
      });
    });

    test('3. the captcha is verified before validation', async () => {
      const { relay, captchas } = await staged();
      expect((await relay.submit('guarded', [['h-captcha-response', 'bad']])).status).toBe(400);
      expect((await relay.submit('guarded', [['h-captcha-response', 'good']])).status).toBe(422);
      expect(captchas.requests).toHaveLength(2);
    });

    test('4. an invalid submission attempts no output', async () => {
      const { relay, failing, sink } = await staged();
      for (const form of ['broken', 'tolerant', 'unregistered']) {
        expect((await relay.submit(form, [['name', '']])).status).toBe(422);
      }
      expect([...failing.requests, ...sink.requests]).toEqual([]);
    });

    test('5. every output is attempted at the same time: a slow one does not hold the others up', async () => {
      let release = () => {};
      const waiting = new Promise<void>((resolve) => {
        release = resolve;
      });
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

    test('6. an unregistered type loads, and is logged as a failed delivery', async () => {
      const { relay } = await staged();
      await relay.submit('unregistered', ann);
      expect(relay.logged).toContainEqual(
        expect.objectContaining({
          level: 'error',
          event: 'delivery_failed',
          output: 0,
          type: 'carrier_pigeon',
        }),
      );
    });
  });
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
