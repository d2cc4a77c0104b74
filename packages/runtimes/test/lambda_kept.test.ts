/** Lambda stores submissions in a queue, and delivers them when SQS invokes it. Tests the bundle that is uploaded. */

import { account } from '../../../test/support/aws/signature.ts';
import { queueArn, type Sqs, startSqs } from '../../../test/support/aws/sqs.ts';
import { httpSink, type SinkAnswer, untilEnd } from '../../../test/support/index.ts';
import { apiGatewayEvent } from '../../../test/support/lambda_events.ts';
import { startLambda } from '../../../test/support/lambda_runtime.ts';
import { makeQueues } from '../../../test/support/stores/sqs.ts';
import type { SqsEvent } from '../../stores/src/sqs/index.ts';

const submission = apiGatewayEvent({
  method: 'POST',
  target: '/api/v1/submit/contact',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from('name=Ada'),
});

interface Options {
  readonly answer: () => SinkAnswer | Promise<SinkAnswer>;
  readonly keep?: 'failed' | 'always';
}

/** The function that answers requests, the one that delivers queued submissions, and their queue. */
async function stage({ answer, keep = 'failed' }: Options) {
  const sink = await httpSink({ answer });
  const sqs = await untilEnd(startSqs());
  makeQueues(sqs);
  const env = {
    ...account,
    AWS_ENDPOINT_URL_SQS: sqs.origin,
    CONFIG_INLINE: `
keep: {in: "sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept"}
forms:
  contact:
    keep: ${keep}
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", retries: 0}]
`,
  };
  const start = async (name: 'handler' | 'kept') => {
    const lambda = await untilEnd(startLambda({ env, name }));
    return lambda;
  };
  const [front, back] = await Promise.all([start('handler'), start('kept')]);
  return { sink, sqs, front, back };
}

/** The messages of the queue, due or not, as the event source passes them. */
const handed = (sqs: Sqs): SqsEvent => ({
  Records: sqs.hand('kept', 10, 360).map(({ id, receipt, body }) => ({
    messageId: id,
    receiptHandle: receipt,
    body,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn('kept'),
  })),
});

const messagesIn = (sqs: Sqs, queue = 'kept') => [...(sqs.queues.get(queue)?.messages ?? [])];

/** Only idle connections may be left, because the function is frozen now. */
const running = (left: readonly string[]) =>
  left.filter((resource) => !/^(TCPSocketWrap|PipeWrap|SimpleShutdownWrap|Immediate)$/.test(resource));

/** Makes all queued messages due, as time would. */
const makeDue = (sqs: Sqs) => {
  for (const message of messagesIn(sqs)) {
    message.visibleAt = 0;
    message.body = message.body.replace(/"dueAt":\d+/, '"dueAt":0');
  }
};

test('an undelivered submission waits in the queue, and arrives when SQS calls', async () => {
  let status = 503;
  const { sink, sqs, front, back } = await stage({ answer: () => ({ status }) });
  const { result } = await front.invoke(submission);
  expect(result).toMatchObject({ statusCode: 200, body: '{"message":"ok"}' });
  expect(messagesIn(sqs)).toHaveLength(1);
  // The role allows no other calls (deploy/sam, deploy/terraform).
  expect(sqs.calls).toEqual(['SendMessage']);

  // Too early: the message stays in the queue, hidden until it is due.
  const early = handed(sqs);
  expect((await back.invoke(early, 120_000)).result.batchItemFailures).toHaveLength(1);
  expect(sink.requests).toHaveLength(1);
  const [message] = messagesIn(sqs);
  expect((message?.visibleAt ?? 0) - Date.now()).toBeGreaterThan(40_000);
  expect((message?.visibleAt ?? 0) - Date.now()).toBeLessThan(70_000);

  // Due but failing: it is tried, and waits again.
  makeDue(sqs);
  expect((await back.invoke(handed(sqs), 120_000)).result).toEqual({ batchItemFailures: [] });
  expect(sink.requests).toHaveLength(2);
  expect(JSON.parse(messagesIn(sqs)[0]?.body.split('\n')[0] ?? '')).toMatchObject({
    tries: 2,
    form: 'contact',
  });

  status = 200;
  makeDue(sqs);
  const { result: last, left } = await back.invoke(handed(sqs), 120_000);
  expect(last).toEqual({ batchItemFailures: [] });
  expect(messagesIn(sqs)).toEqual([]);
  expect(sink.requests.map(({ body }) => body)).toEqual(Array(3).fill('name=Ada'));
  expect(new Set(sink.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(running(left)).toEqual([]);
});

test('without time for an attempt, none is made, and all messages are delivered again', async () => {
  const { sink, sqs, front, back } = await stage({ answer: () => ({ status: 503 }) });
  await front.invoke(submission);
  makeDue(sqs);
  const { result, left } = await back.invoke(handed(sqs), 20_000);
  expect(result.batchItemFailures).toEqual([{ itemIdentifier: messagesIn(sqs)[0]?.id }]);
  expect(sink.requests).toHaveLength(1);
  expect(running(left)).toEqual([]);
});

test('a delivery that waits behind a slow server gets no attempt when the time is over, and is delivered again', async () => {
  let answer: () => SinkAnswer | Promise<SinkAnswer> = () => ({ status: 503 });
  const { sink, sqs, front, back } = await stage({ answer: () => answer() });
  for (let count = 0; count < 10; count += 1) await front.invoke(submission);
  const slow = new Promise<void>((resolve) => {
    answer = async () => {
      setTimeout(resolve, 3_000);
      await slow;
      return { status: 200 };
    };
  });
  makeDue(sqs);
  // Leaves 2 s in which attempts may start.
  const { result } = await back.invoke(handed(sqs), 29_000);
  expect(sink.requests).toHaveLength(10 + 8);
  expect(result.batchItemFailures).toHaveLength(2);
  expect(messagesIn(sqs)).toHaveLength(2);
});

test('only messages that are still in the queue are reported as failed', async () => {
  let status = 503;
  const { sqs, front, back } = await stage({ answer: () => ({ status }) });
  for (let count = 0; count < 3; count += 1) await front.invoke(submission);
  sqs.put('kept', 'hello');
  status = 200;
  makeDue(sqs);
  const [stays] = messagesIn(sqs);
  if (stays) stays.body = stays.body.replace('"dueAt":0', `"dueAt":${Date.now() + 3_600_000}`);
  const { result } = await back.invoke(handed(sqs), 120_000);
  expect(result.batchItemFailures).toEqual([{ itemIdentifier: stays?.id }]);
  expect(messagesIn(sqs).map(({ id }) => id)).toEqual([stays?.id]);
  expect(messagesIn(sqs, 'kept-aside').map(({ body }) => body)).toEqual(['hello']);
});

test('other events fail with a readable error', async () => {
  const { back } = await stage({ answer: () => ({ status: 200 }) });
  for (const other of [null, {}, submission, { Records: [{ eventSource: 'aws:s3' }] }])
    await expect(back.invoke(other as unknown as SqsEvent, 120_000), JSON.stringify(other)).rejects.toThrow(
      'this is not an SQS event',
    );
});

test('without a queue, no message is acknowledged', async () => {
  const { sqs, front } = await stage({ answer: () => ({ status: 503 }) });
  sqs.queues.clear();
  expect((await front.invoke(submission)).result.statusCode).toBe(500);
  expect(front.log()).toContain('there is no queue \\"kept\\"');
});
