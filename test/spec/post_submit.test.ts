import { form, post } from '../support/config.ts';
import { contact, gate, httpSink, relayWith } from '../support/index.ts';

/** test/promises/areas/bodies.ts tests the same for bodies with Content-Length. */
test.each([
  [65_536, 200],
  [65_537, 400],
  [900_000, 400],
])('a chunked body may have 65,536 bytes: %i are answered %i', async (bytes, status) => {
  const form = await contact({ fields: '[{name: name}]' });
  const parts = ['name=Ann&pad=', 'x'.repeat(bytes - 'name=Ann&pad='.length)];
  const answer = await fetch(`${form.origin}/api/v1/submit/contact`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new ReadableStream({
      pull: (stream) => {
        const part = parts.shift();
        if (part === undefined) stream.close();
        else stream.enqueue(new TextEncoder().encode(part));
      },
    }),
    ...{ duplex: 'half' },
  });
  expect(answer.status).toBe(status);
  expect(await answer.text()).toMatch(/^\{"(message|error)":"[^"]+"\}$/);
  expect(form.delivered).toHaveLength(status === 200 ? 1 : 0);
});

test('submission rules 5. all outputs run concurrently: a slow one does not delay the others', async () => {
  const { open: release, opened: waiting } = gate();
  const slow = await httpSink({ answer: () => waiting.then(() => ({})) });
  const fast = await httpSink({
    answer: () => {
      release();
      return {};
    },
  });
  const relay = await relayWith({ config: form({ outputs: [post(slow), post(fast)] }) });
  expect((await relay.submit('contact', [['name', 'Ann']])).status).toBe(200);
  expect([slow.requests.length, fast.requests.length]).toEqual([1, 1]);
});
