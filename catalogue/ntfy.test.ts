import { expect, test } from 'vitest';
import { holdsPromisesOfChats, jsonOf, readLines, unheld } from '../test/support/chat_suite.ts';
import { httpSink, relayWith } from '../test/support/index.ts';

/** https://docs.ntfy.sh/publish/#publish-as-json, #limitations */
holdsPromisesOfChats({
  type: 'ntfy',
  keys: (origin) => ({ server: origin, topic: 'my-topic', token: '{{ env "NTFY_TOKEN" }}' }),
  env: { NTFY_TOKEN: 'tk_secret' },
  taken: '{"id":"x1","event":"message"}',
  broken: (request) => {
    const { topic, title, message, ...others } = jsonOf(request);
    return unheld({
      token: request.headers.authorization === 'Bearer tk_secret',
      'JSON goes to the root': request.url === '/' && topic === 'my-topic',
      'known keys': Object.keys(others).length === 0,
      title: title !== '' && title.length <= 250,
      // ntfy turns a longer text into an attachment.
      message: message !== '' && Buffer.byteLength(message) <= 4_096 && request.bytes.length <= 8_192,
    });
  },
  read: (request) => {
    const { title, message, markdown } = jsonOf(request);
    return { title, ...readLines(message), alive: markdown ? [message] : [] };
  },
  refusals: {
    'a topic that is not public': [
      { status: 403, body: '{"code":40301,"http":403,"error":"Ada"}' },
      'the server answered 403 (40301)',
    ],
    'too many': [{ status: 429, body: '{"code":42901,"http":429}' }, 'the server answered 429 (42901)', 1],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '2' } },
      'the server answered 429',
      2_000,
    ],
    'too many for today': [
      { status: 429, body: '{"code":42908,"http":429}' },
      'the server answered 429 (42908)',
    ],
    'an error with 200': [
      { body: '{"code":40024}' },
      'the service answered that it rejected the request (40024)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
});

test('a URL that ends with the topic, in the config or in a variable, is split into server and topic', async () => {
  const sink = await httpSink({ answer: () => ({ body: '{"id":"x1"}' }) });
  for (const keys of [{ url: `${sink.origin}/a/my-topic` }, { url_env: 'NTFY' }]) {
    const outputs = [{ type: 'ntfy', ...keys }];
    const config = JSON.stringify({ forms: { contact: { fields: [{ name: 'name' }], outputs } } });
    const relay = await relayWith({ config, env: { NTFY: `${sink.origin}/a/my-topic/` } });
    expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(200);
  }
  expect(sink.requests.map(({ url, body }) => [url, JSON.parse(body).topic])).toEqual([
    ['/a/', 'my-topic'],
    ['/a/', 'my-topic'],
  ]);
});
