/** WORKERS: a flood that is shared out among several processes gets no more than it would get from one. */
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpSink } from '../spec/stage.ts';
import { ask, startWorkers } from '../support/workers.ts';

const unthrottled = { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000' };

test('connections that say nothing have CONNECTION_LIMIT of all workers together, and visitors come through', async () => {
  const { origin } = await startWorkers({
    ...unthrottled,
    WORKERS: '2',
    CONFIG_INLINE: 'forms: {}',
    CONNECTION_LIMIT: '20',
  });
  let open = 0;
  const hold = () => {
    const socket = net.connect(Number(new URL(origin).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume();
    socket.once('connect', () => {
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
    });
    return socket;
  };
  const sockets = Array.from({ length: 100 }, hold);
  await expect.poll(() => sockets.filter(({ connecting }) => connecting).length).toBe(0);
  await expect.poll(() => open).toBeLessThanOrEqual(20);
  for (let count = 0; count < 10; count += 1) expect((await ask(`${origin}/healthz`)).status).toBe(200);
});

test('SUBMISSION_LIMIT is that of all workers together', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const sink = await httpSink({
    answer: async () => {
      await held;
      return {};
    },
  });
  const { origin } = await startWorkers({
    ...unthrottled,
    WORKERS: '2',
    SUBMISSION_LIMIT: '10',
    CONFIG_INLINE: `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}}`,
  });
  let refused = 0;
  const answers = Array.from({ length: 60 }, async () => {
    const { status } = await ask(`${origin}/api/v1/submit/contact`, { body: 'name=Ada' });
    if (status === 503) refused += 1;
    return status;
  });
  await expect.poll(() => refused).toBe(50);
  release();
  expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(10);
  expect(sink.requests).toHaveLength(10);
});
