/** A `traceparent` goes on into headers of outputs and lines of the log: 55 characters that anybody may send. */
import { expect, test } from 'vitest';
import { configOf, httpSink, relayWith } from '../spec/stage.ts';
import { exchange, postHead } from './stage.ts';

const sound = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const made = /^00-(?!4bf92f3577b34da6a3ce929d0e0e4736)[\da-f]{32}-[\da-f]{16}-01$/;

async function sent(...lines: readonly string[]) {
  const sink = await httpSink();
  const relay = await relayWith({ config: configOf(sink.origin) });
  const body = 'name=Ada';
  const head = postHead(...lines, `Content-Length: ${body.length}`, 'Connection: close');
  const received = await exchange(relay, `${head}${body}`);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1]),
    headers: sink.requests.map(({ headers }) => headers),
    all: JSON.stringify([received, relay.logged, sink.requests.map(({ headers }) => headers)]),
  };
}

test.each([
  ['twice', [`traceparent: ${sound}`, `traceparent: ${sound}`]],
  ['twice, in other letters', [`traceparent: ${sound}`, `TraceParent: ${sound.replace('4b', '5b')}`]],
  ['with a line of its own behind it', [`traceparent: ${sound}; x-evil: 1`]],
  ['with a tab', [`traceparent: ${sound}\tx-evil`]],
  ['of 8 KB', [`traceparent: ${sound}${'-evil'.repeat(1_600)}`]],
  ['of bytes beyond ASCII', [`traceparent: ${sound}\xa0\x85evil`]],
  ['as markup', ['traceparent: <script>evil</script>']],
  ['as JSON', ['traceparent: 00-","evil":"']],
  ['of none but zeros', [`traceparent: 00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`]],
  ['that says more than its version may', [`traceparent: ${sound}-evil`]],
])('%s, is as good as none', async (_, lines) => {
  const { status, headers, all } = await sent(...lines);
  expect([status, headers.map(({ traceparent }) => traceparent)]).toEqual([
    200,
    [expect.stringMatching(made)],
  ]);
  expect(all).not.toMatch(/evil|script/);
});

test.each([
  ['folded over two lines', `traceparent: ${sound}\r\n x-evil: 1`],
  ['with a bare line feed', `traceparent: ${sound}\nx-evil: 1`],
  ['with a bare carriage return', `traceparent: ${sound}\rx-evil: 1`],
  ['with a zero byte', `traceparent: ${sound}\0x-evil: 1`],
  ['of 100 KB', `traceparent: ${sound}${'evil'.repeat(25_000)}`],
])('%s, reaches no output as what it wants to be', async (_, line) => {
  const { headers, all } = await sent(line);
  for (const one of headers) expect(one['x-evil']).toBe(undefined);
  expect(all).not.toContain('evil');
});
