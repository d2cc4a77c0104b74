/** Where the runtime brings an undici of its own that lacks what is used here, as Bun does. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createUndiciClient } from '../../packages/relay/src/transports/http/undici_client.ts';
import { httpSink } from '../spec/stage.ts';

vi.mock('undici', () => ({ Client: class {}, Pool: class {}, Agent: class {} }));

test('another client sends, and closing waits for what it sends', async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const sink = await httpSink({
    answer: async () => {
      await answered;
      return { status: 302, headers: { location: '/' } };
    },
  });
  const client = createUndiciClient();
  onTestFinished(client.close);
  const url = new URL(`${sink.origin}/hook`);
  const streamed = { byteLength: 3, pieces: () => [Buffer.from('a=1')] };
  const request = { url, headers: { 'x-a': 'b' }, body: '', streamed, timeoutMs: 5_000 };
  const sent = client(request);
  await vi.waitFor(() => expect(sink.requests).toHaveLength(1));

  let isClosed = false;
  const closed = client.close().then(() => {
    isClosed = true;
  });
  await expect(client(request)).rejects.toMatchObject({ code: 'client_closed' });
  expect(isClosed).toBe(false);
  answer();

  expect(await sent).toMatchObject({ status: 302, headers: { location: '/' } });
  await closed;
  expect(sink.requests.map(({ method, body, headers }) => [method, body, headers['x-a']])).toEqual([
    ['POST', 'a=1', 'b'],
  ]);
});
