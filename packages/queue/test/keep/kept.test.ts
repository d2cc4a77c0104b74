import { afterEach, describe, expect, test, vi } from 'vitest';
import { type SinkAnswer, startHttpSink } from '../../../../test/support/http_sink.ts';
import { createMemoryStore } from '../../../../test/support/memory_store.ts';
import { startRelay } from '../../../../test/support/relay.ts';
import { failed } from '../../../stores/src/failures.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function start(keep: 'failed' | 'always', answer: () => SinkAnswer, form = '') {
  const sink = await startHttpSink({ answer });
  cleanups.push(sink.close);
  const relay = await startRelay({
    config: `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: ${keep}
    ${form}
    fields: [{name: email}]
    outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]
`,
    effects: { random: () => 0, openStore: async () => createMemoryStore(() => relay.relay.services.now()) },
  });
  cleanups.push(relay.close);
  return { sink, relay };
}

const body: [string, string][] = [['email', 'a@b.example']];

describe('undelivered submissions are kept', () => {
  test('the visitor reads that all is well, and it arrives when the other side is back', async () => {
    let status = 503;
    const { sink, relay } = await start('failed', () => ({ status }));
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(relay.logged.at(-1)).toMatchObject({
      event: 'submission',
      outcome: 'kept',
      deliveries: [{ outcome: 'kept', tries: 1 }],
    });
    status = 200;
    relay.advance(59_000);
    expect(sink.requests).toHaveLength(1);
    relay.advance(1_000);
    await vi.waitFor(() => expect(sink.requests).toHaveLength(2), 10_000);
    expect(sink.requests[1]?.headers['idempotency-key']).toBe(sink.requests[0]?.headers['idempotency-key']);
    await vi.waitFor(
      () =>
        expect(relay.logged.at(-1)).toMatchObject({ event: 'kept_delivery', outcome: 'delivered', tries: 2 }),
      60_000,
    );
  });

  test.each([
    ['what nobody has is not called delivered', '503', '503', 'kept'],
    [
      'nor when only outputs owe it that may fail',
      '503, on_error: continue',
      '503, on_error: continue',
      'kept',
    ],
    ['what another output took is', '200', '503', 'delivered'],
  ])('in the log, %s', async (_, first, second, outcome) => {
    const sink = await startHttpSink({ answer: ({ url }) => ({ status: Number(url.slice(1)) }) });
    cleanups.push(sink.close);
    const output = (answer: string) => {
      const [status = '', more = 'on_error: fail'] = answer.split(', ');
      return `{type: http_post, url: "${sink.origin}/${status}", mapping: "*", retries: 0, ${more}}`;
    };
    const relay = await startRelay({
      config: `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs:
      - ${output(first)}
      - ${output(second)}
      - {type: webhook, url: "${sink.origin}/200", when: {field: email, is: nobody}}
`,
      effects: {
        random: () => 0,
        openStore: async () => createMemoryStore(() => relay.relay.services.now()),
      },
    });
    cleanups.push(relay.close);
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(relay.logged.at(-1)).toMatchObject({ event: 'submission', outcome });
  });

  test('a store that fails makes the submission fail', async () => {
    const sink = await startHttpSink({ answer: () => ({ status: 503 }) });
    cleanups.push(sink.close);
    const relay = await startRelay({
      config: `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]
`,
      effects: {
        openStore: async () => {
          throw new Error('no');
        },
      },
    });
    cleanups.push(relay.close);
    expect((await relay.submit('contact', body)).status).toBe(500);
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'keep_failed', level: 'error' }));
  });

  test.each(['failed', 'always'])(
    'a store that has no time for it says when to retry, with keep: %s',
    async (what) => {
      const sink = await startHttpSink({ answer: () => ({ status: 503 }) });
      cleanups.push(sink.close);
      const relay = await startRelay({
        config: `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: ${what}
    fields: [{name: email}]
    outputs: [{type: http_post, url: "${sink.origin}", mapping: "*", retries: 0}]
`,
        effects: {
          openStore: async () => ({
            ...createMemoryStore(Date.now),
            keep: () => Promise.reject(failed('store_busy', {}, { retryAfterMs: 2_100 })),
          }),
        },
      });
      cleanups.push(relay.close);
      const answer = await relay.submit('contact', body);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3']);
      expect(sink.requests).toHaveLength(what === 'failed' ? 1 : 0);
      expect(relay.logged).toContainEqual(
        expect.objectContaining({ outcome: 'busy', reason: expect.stringContaining('no time') }),
      );
    },
  );
});
