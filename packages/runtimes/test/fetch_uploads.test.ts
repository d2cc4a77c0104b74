/** Bodies with files, in a runtime that passes them as a web-standard stream. */

import { createRelay, httpSink } from '../../../test/support/index.ts';

const bytes = 600_000;

async function start() {
  const sink = await httpSink();
  let time = Date.UTC(2026, 0, 1);
  const relay = createRelay({
    config: `forms:
  apply:
    max_body: 1MB
    fields: [{name: cv, type: file, accept: text, max_size: 700KB}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]
`,
    env: { UPLOAD_BUDGET: '1000000' },
    effects: { now: () => time, log: () => undefined },
  });
  onTestFinished(relay.close);
  const post = (body: string | ReadableStream, more: object = {}) =>
    relay.fetch(
      new Request('http://relay.test/api/v1/submit/apply', {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=B', 'content-length': `${bytes}` },
        body,
        ...more,
      }),
    );
  const pass = (ms: number) => {
    time += ms;
  };
  return { relay, post, pass };
}

const head = '--B\r\nContent-Disposition: form-data; name="cv"; filename="cv.txt"\r\n\r\n';
const end = '\r\n--B--\r\n';
const whole = head.padEnd(bytes - end.length, 'x') + end;

/** A body that sends one piece, and then nothing more. */
function stalled(isCancelled: () => void) {
  let isPulled: () => void;
  const pulled = new Promise<void>((resolve) => {
    isPulled = resolve;
  });
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulls += 1;
        if (pulls === 1) return controller.enqueue(Buffer.from(head));
        isPulled();
        return new Promise(() => undefined);
      },
      cancel: isCancelled,
    },
    { highWaterMark: 0 },
  );
  return { body, pulled };
}

test('a stalled upload makes room for others, and is refused at once', async () => {
  const { post, pass } = await start();
  let cancelled = 0;
  const { body, pulled } = stalled(() => {
    cancelled += 1;
  });
  const slow = post(body, { duplex: 'half' });
  await pulled;
  expect(await post(whole)).toMatchObject({ status: 503 });
  pass(5_000);
  expect(await post(whole)).toMatchObject({ status: 200 });
  const answer = await slow;
  expect(answer).toMatchObject({ status: 503 });
  expect(answer.headers.get('retry-after')).toBe('10');
  expect(cancelled).toBe(1);
});

test('all memory is released', async () => {
  const { post } = await start();
  for (let count = 0; count < 5; count += 1) {
    expect(await post(whole)).toMatchObject({ status: 200 });
    expect(await post(`${whole}${'x'.repeat(bytes)}`)).toMatchObject({ status: 400 });
  }
});

test('a body that breaks off differs from a malformed one, and its memory is released', async () => {
  const { post } = await start();
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
  const answer = await post(broken, { duplex: 'half' });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ error: 'the body could not be read' });
  expect(await post(whole)).toMatchObject({ status: 200 });
});
