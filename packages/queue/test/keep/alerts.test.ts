import { failed } from '../../../../test/support/failed.ts';
import { type SinkAnswer, type SunkRequest, startHttpSink } from '../../../../test/support/http_sink.ts';
import { httpSink, startRelay, type TestRelay, untilLogged } from '../../../../test/support/index.ts';
import { createMemoryStore } from '../../../../test/support/memory_store.ts';
import type { Leases } from '../../../stores/src/store.ts';
import type { DeliveryStore } from '../../src/open_stores.ts';

/** In the middle of an hour, and of a day. */
const startedAt = Date.parse('2030-01-15T12:20:00Z');

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface Stage {
  readonly answer?: (request: SunkRequest) => SinkAnswer;
  readonly hook?: () => SinkAnswer;
  readonly keep?: string;
  readonly more?: string;
  readonly store?: DeliveryStore;
  readonly env?: Record<string, string>;
  /** More outputs for alerts. */
  readonly outputs?: string;
  /** The name of another form. */
  readonly name?: string;
}

/** A relay that queues in memory, a CRM whose failures the test controls, and a hook for alerts. Timers run fast. */
async function start(stage: Stage = {}) {
  const crm = await httpSink({ answer: stage.answer ?? (() => ({ status: 503 })) });
  const hook = await startHttpSink({ answer: stage.hook ?? (() => ({ status: 200 })) });
  // The clock does not advance between two steps, so that a slow machine makes no difference.
  let at = startedAt;
  const now = () => at;
  const store = stage.store ?? createMemoryStore(now);
  // Slow reads may be late, so the clock does not advance during them, either.
  let isWatching = false;
  const watched: typeof often = (ms, work) => {
    isWatching = true;
    return often(ms, work);
  };
  const started = await startRelay({
    config: `
cache_ttl: 1h
keep: {in: /var/lib/form-relay${stage.keep ?? ''}}
alerts:
  outputs:
    - {type: webhook, url: "${hook.origin}", retries: 0}
${stage.outputs ?? ''}${stage.more ?? ''}
forms:
  contact: &form
    keep: failed
    fields: [{name: email}]
    outputs: [{type: http_post, url: "${crm.origin}", mapping: "*", retries: 0}]
  jobs: *form
  ${JSON.stringify(stage.name ?? 'other')}: *form
`,
    ...(stage.env && { env: stage.env }),
    effects: { now, random: () => 0, openStore: async () => store, repeat: watched },
  });
  await started.relay.config.get();
  await vi.waitFor(() => expect(isWatching).toBe(true));
  const relay: TestRelay = {
    ...started,
    advance: (ms) => {
      at += ms;
    },
  };
  onTestFinished(relay.close);
  const told = () => hook.requests.map(({ body }) => JSON.parse(String(body)));
  const until = (count: number) => vi.waitFor(() => expect(told()).toHaveLength(count));
  return { crm, hook, relay, store, told, until };
}

function often(_: number, work: () => void): () => void {
  const timer = setInterval(work, 10);
  return () => clearInterval(timer);
}

const body: [string, string][] = [['email', 'visitor@example.com']];

/** A count that lasts until the test ends, because a stopping relay waits for it for a while. */
function hanging() {
  let answer = () => {};
  const answered = new Promise<Awaited<ReturnType<Leases['count']>>>((resolve) => {
    answer = () => resolve({ forms: new Map() });
  });
  return { count: vi.fn(() => answered), answer };
}

/** Waits a moment, for cases in which nothing should happen. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 150));

describe('an alert', () => {
  test('is sent when deliveries of a form fail, once a day while they wait, and when all are delivered', async () => {
    let status = 503;
    const { relay, told, until } = await start({ answer: () => ({ status }) });
    expect((await relay.submit('contact', body)).status).toBe(200);
    await relay.submit('contact', body);
    relay.advance(3 * minute);
    await until(1);
    expect(told()[0]).toEqual({
      event: 'kept',
      form: 'contact',
      summary: 'contact: 2 deliveries failed and are queued',
      waiting: 2,
      oldest: '2030-01-15T12:20:00Z',
      reason: 'the server answered 503',
      what_to_do: expect.stringContaining('relay kept list'),
    });
    relay.advance(2 * minute);
    await settle();
    expect(told()).toHaveLength(1);
    relay.advance(day);
    await until(2);
    expect(told()[1]).toMatchObject({ event: 'waiting', waiting: 2, reason: 'the server answered 503' });
    status = 200;
    relay.advance(day);
    await vi.waitFor(() => {
      relay.advance(hour);
      expect(told().at(-1)).toMatchObject({ event: 'delivered' });
    });
    expect((await relay.get('/readyz')).json).toEqual({ message: 'ok' });
    expect(told().at(-1)).toEqual({
      event: 'delivered',
      form: 'contact',
      summary: 'contact: all queued deliveries have succeeded',
      waiting: 0,
    });
  });

  test('does not say that all is delivered because a count missed an entry that was being moved', async () => {
    const memory = createMemoryStore(() => startedAt);
    let missed = -1;
    const count = async () => {
      missed += missed < 0 ? 0 : 1;
      return missed === 1 ? { forms: new Map() } : memory.leases.count();
    };
    const { relay, told, until } = await start({ store: { ...memory, leases: { ...memory.leases, count } } });
    await relay.submit('contact', body);
    relay.advance(3 * minute);
    await until(1);
    missed = 0;
    await vi.waitFor(() => {
      relay.advance(10 * minute);
      expect(missed).toBeGreaterThan(1);
    });
    await settle();
    expect(told()).toMatchObject([{ event: 'kept' }]);
  });

  test('reports dead letters', async () => {
    const { relay, told, until } = await start({
      answer: ({ body }) => ({ status: body.includes('refused') ? 400 : 503 }),
    });
    await relay.submit('contact', [['email', 'refused@example.com']]);
    await relay.submit('contact', body);
    relay.advance(3 * minute);
    await until(1);
    relay.advance(minute);
    await vi.waitFor(() => {
      relay.advance(minute);
      expect(told().at(-1)).toMatchObject({ event: 'aside', aside: 1, reason: 'the server answered 400' });
    });
    expect(told().at(-1).what_to_do).toContain('relay kept retry');
  });

  test('contains nothing that a visitor wrote', async () => {
    const { relay, hook, until } = await start();
    await relay.submit('contact', [['email', 'visitor@example.com']]);
    relay.advance(3 * minute);
    await until(1);
    expect(String(hook.requests[0]?.body)).not.toContain('visitor');
    expect(JSON.stringify(relay.logged)).not.toContain('visitor@');
  });

  test('is sent once by several processes that share the store', async () => {
    const shared = createMemoryStore(() => startedAt);
    const [one, other] = [await start({ store: shared }), await start({ store: shared })];
    await one.relay.submit('contact', body);
    for (const { relay } of [one, other]) relay.advance(3 * minute);
    const told = () => [...one.told(), ...other.told()];
    await vi.waitFor(() => expect(told()).toHaveLength(1));
    await other.relay.submit('contact', body);
    for (const { relay } of [one, other]) relay.advance(10 * minute);
    await settle();
    expect(told()).toHaveLength(1);
  });

  test('is sent by a relay that finds waiting deliveries at its start, and again the next day', async () => {
    const store = createMemoryStore(() => startedAt);
    const first = await start({ store });
    await first.relay.submit('contact', body);
    await first.relay.close();
    const second = await start({ store });
    await second.relay.get('/readyz');
    second.relay.advance(3 * minute);
    await untilLogged(second.relay, { event: 'kept_waiting' });
    await second.until(1);
    second.relay.advance(10 * minute);
    await settle();
    expect(second.told()).toMatchObject([{ event: 'kept', form: 'contact', waiting: 1 }]);
    second.relay.advance(day);
    await second.until(2);
    expect(second.told()[1]).toMatchObject({ form: 'contact', waiting: 1 });
  });

  test('that cannot be delivered is retried for a while, and logged', async () => {
    let status = 500;
    const { relay, hook, until } = await start({ hook: () => ({ status }) });
    await relay.submit('contact', body);
    relay.advance(3 * minute);
    await until(1);
    await untilLogged(relay, {
      event: 'alert_failed',
      level: 'error',
      alert: 'kept',
      reason: 'the server answered 500',
    });
    status = 200;
    relay.advance(2 * minute);
    await until(2);
    expect(hook.requests[1]?.headers['idempotency-key']).toBe(hook.requests[0]?.headers['idempotency-key']);
    await untilLogged(relay, { event: 'alert_sent' });
  });

  test('reports lost submissions if they cannot be queued', async () => {
    const store = createMemoryStore(() => startedAt, {
      keep: () => Promise.reject(failed('folder_full', { path: '/x' })),
    });
    const { relay, told, until } = await start({ store });
    expect((await relay.submit('contact', body)).status).toBe(500);
    await relay.submit('contact', body);
    await until(1);
    await settle();
    expect(told()).toEqual([
      {
        event: 'keep_failed',
        form: 'contact',
        summary: 'contact: submissions were lost, because they could not be delivered or queued',
        reason: 'the disk of /x is full',
        what_to_do: expect.stringContaining('relay doctor'),
      },
    ]);
  });
});

describe('/readyz', () => {
  test('reports what waits, and since when', async () => {
    const { relay } = await start();
    expect((await relay.get('/readyz')).json).toEqual({ message: 'ok' });
    await relay.submit('contact', body);
    relay.advance(3 * minute);
    await expect
      .poll(async () => (await relay.get('/readyz')).json)
      .toEqual({
        message: expect.stringMatching(/^1 delivery is queued, the oldest since \S+Z$/),
      });
  });

  test('is 200 when the store is down, and reports that', async () => {
    const store = createMemoryStore(() => startedAt, {
      count: () => Promise.reject(failed('folder_missing', { path: '/x' })),
    });
    const { relay } = await start({ store });
    await vi.waitFor(async () => {
      const answer = await relay.get('/readyz');
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({ message: 'the store of kept deliveries does not respond; see the log' });
    });
  });

  test('never waits for a store that hangs', async () => {
    const { count, answer } = hanging();
    const { relay } = await start({ store: createMemoryStore(() => startedAt, { count }) });
    onTestFinished(answer);
    expect((await relay.get('/readyz')).json).toEqual({ message: 'ok' });
    expect((await relay.get('/readyz')).json).toEqual({ message: 'ok' });
  });
});

test('a store that hangs while counting gets one request, and does not keep a relay from stopping', async () => {
  const { count, answer } = hanging();
  const { relay } = await start({ store: createMemoryStore(() => startedAt, { count }) });
  await relay.get('/readyz');
  await vi.waitFor(() => expect(count).toHaveBeenCalledOnce());
  relay.advance(10 * minute);
  await settle();
  expect(count).toHaveBeenCalledOnce();
  await relay.relay.close();
  onTestFinished(answer);
});

test('names of forms appear unchanged, and never as markup', async () => {
  const hook = await httpSink({ answer: () => ({ body: 'ok' }) });
  const more = `
    - {type: slack, url: "${hook.origin}/slack", retries: 0}
`;
  const { relay } = await start({ outputs: more, name: '<!channel> *bold* {{ .fields.email }}' });
  await relay.submit('<!channel> *bold* {{ .fields.email }}', body);
  relay.advance(3 * minute);
  await vi.waitFor(() => expect(hook.requests).toHaveLength(1));
  const said = JSON.parse(String(hook.requests[0]?.body));
  expect(said.text).toMatch(/^&lt;!channel&gt; \*bold\* \{\{ \.fields\.email \}\}: 1 delivery/);
  expect(said.mrkdwn).toBe(false);
});
