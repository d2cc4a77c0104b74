/** How queued deliveries are retried: when, how many at once, and what their owner learns. */

import { failed } from '../../../../test/support/failed.ts';
import { gate, relayWith, type TestRelay } from '../../../../test/support/index.ts';
import { createMemoryLeases } from '../../../../test/support/memory_store.ts';
import type { HttpAnswer, HttpRequest, Services } from '../../../core/src/services.ts';
import type { Lease, Leases, Listed } from '../../../stores/src/store.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Host = (request: HttpRequest) => Promise<HttpAnswer>;

const ok: HttpAnswer = { status: 200, headers: {}, body: '' };
const answers =
  (status: number, headers: HttpAnswer['headers'] = {}): Host =>
  async () => ({ ...ok, status, headers });
const nobodyListens: Host = async () => {
  throw failed(
    'nobody_listens',
    { call: 'connect', codes: ['ECONNREFUSED'] },
    { retryAfterMs: 0, isUnsent: true },
  );
};

/** A store whose leases are settled in a different way. */
const withLeases =
  (change: (lease: Lease) => Partial<Lease>) =>
  ({ lease }: Leases): Partial<Leases> => ({
    lease: async (most, waitMs) => (await lease(most, waitMs)).map((one) => ({ ...one, ...change(one) })),
  });

/** A store that fails a number of times to record that deliveries are done. */
const failingToSettle = (times: number, error: () => Error) => {
  let failures = times;
  return withLeases((lease) => ({
    done: async () => {
      failures -= 1;
      if (failures >= 0) throw error();
      await lease.done();
    },
  }));
};
const full = () => failed('folder_full', { path: '/var/lib/form-relay' });

/** A host that responds only on command. */
function hangingHost() {
  const { open: release, opened: open } = gate();
  const host: Host = async () => {
    await open;
    return ok;
  };
  return { host, release };
}

interface StageOptions {
  readonly keep?: string;
  readonly env?: Record<string, string>;
  readonly store?: (memory: Leases) => Partial<Leases>;
  readonly close?: () => Promise<void>;
  /** The store of another relay, with its clock. */
  readonly shared?: Stage;
}

/** A relay whose hosts are functions, by name, and whose store is in memory. */
async function stage(forms: string, hosts: Record<string, Host>, options: StageOptions = {}) {
  const { keep = '{in: /var/lib/form-relay}', env = {}, shared } = options;
  const requests: HttpRequest[] = [];
  const underWay = new Map<string, number>();
  const most = new Map<string, number>();
  const http: Services['http'] = async (request) => {
    const { hostname } = request.url;
    requests.push(request);
    const count = (underWay.get(hostname) ?? 0) + 1;
    underWay.set(hostname, count);
    most.set(hostname, Math.max(most.get(hostname) ?? 0, count));
    try {
      return await (hosts[hostname] ?? answers(200))(request);
    } finally {
      underWay.set(hostname, (underWay.get(hostname) ?? 0) - 1);
    }
  };
  let text = `keep: ${keep}\nforms:\n${forms}`;
  const stores = new Map<string, Leases>();
  const relay: TestRelay = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml', ...env },
    effects: {
      http,
      random: () => 0,
      readFile: async () => ({ ok: true, value: { text, modifiedAt: 0 } }),
      openStore: async ({ in: { name } }) => {
        const memory =
          shared?.stores.get(name) ??
          stores.get(name) ??
          createMemoryLeases(() => (shared?.relay ?? relay).relay.services.now());
        const leases = { ...memory, ...options.store?.(memory) };
        stores.set(name, leases);
        return { leases, probe: async () => [], close: options.close ?? (async () => {}) };
      },
    },
  });
  const staged = {
    relay,
    requests,
    most,
    stores,
    to: (host: string) => requests.filter(({ url }) => url.hostname === host),
    submit: async (form: string, times = 1) => {
      for (let time = 0; time < times; time += 1)
        expect((await relay.submit(form, [['email', 'a@b.example']])).status).toBe(200);
    },
    /** The logged lines of an event, optionally with this outcome. */
    lines: (event: string, outcome?: string) =>
      relay.logged.filter(
        (line) => line.event === event && (outcome === undefined || line.outcome === outcome),
      ),
    waiting: async (name = '/var/lib/form-relay') => {
      const all: Listed[] = [];
      for await (const one of stores.get(name)?.list() ?? []) all.push(one);
      return all;
    },
    reload: async (next: string) => {
      text = next;
      relay.advance(31_000);
      await relay.get('/api/v1/form/none');
      await vi.waitFor(() => expect(relay.relay.config.state).toBe('fresh'));
    },
  };
  return staged;
}
type Stage = Awaited<ReturnType<typeof stage>>;

const formTo = (name: string, host: string, keep = 'failed', more = '') => `
  ${name}:
    keep: ${keep}
    fields: [{name: email}]
    outputs: [{type: http_post, url: "https://${host}/", mapping: "*", retries: 0${more}}]
`;

test('an attempt belongs to one trace, in the log and for the receiver, whatever its request id', async () => {
  const hosts: Record<string, Host> = { 'a.example': answers(503) };
  const staged = await stage(formTo('one', 'a.example'), hosts);
  const { status } = await staged.relay.relay.handle({
    id: 'a-name-of-the-runtimes-own',
    method: 'POST',
    path: '/api/v1/submit/one',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('email=a%40b.example'),
    livesOn: true,
  });
  expect(status).toBe(200);
  hosts['a.example'] = answers(200);
  staged.relay.advance(minute);
  await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(1));
  const [line] = staged.lines('kept_delivery', 'delivered');
  expect(staged.requests.at(-1)?.headers.traceparent).toContain(`-${line?.trace_id}-`);
});

describe('hosts', () => {
  test('a host gets at most eight deliveries at once, from all forms together', async () => {
    const { host, release } = hangingHost();
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const staged = await stage(formTo('one', 'a.example') + formTo('two', 'a.example'), hosts);
    await staged.submit('one', 10);
    await staged.submit('two', 10);
    staged.most.clear();
    hosts['a.example'] = host;
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.most.get('a.example')).toBe(8));
    release();
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(20));
    expect(staged.most.get('a.example')).toBe(8);
    expect(await staged.waiting()).toEqual([]);
  });

  test('a host that is down gets one request for all deliveries; all arrive when it is back', async () => {
    const hosts: Record<string, Host> = { 'a.example': nobodyListens, 'b.example': answers(503) };
    const staged = await stage(
      formTo('one', 'a.example') + formTo('two', 'a.example') + formTo('three', 'b.example'),
      hosts,
    );
    await staged.submit('one', 15);
    await staged.submit('two', 15);
    await staged.submit('three', 1);
    hosts['b.example'] = answers(200);
    const before = staged.to('a.example').length;
    staged.relay.advance(minute);
    await vi.waitFor(async () => {
      expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(1);
      for (const { dueAt = 0 } of await staged.waiting())
        expect(dueAt).toBeGreaterThan(staged.relay.relay.services.now());
    });
    // Requests that began before the first one failed.
    expect(staged.to('a.example').length - before).toBeLessThanOrEqual(8);
    const reschedule = staged.lines('kept_put_off');
    expect(reschedule[0]).toMatchObject({ level: 'warn', host: 'a.example', reason: 'connect ECONNREFUSED' });
    expect(JSON.stringify(staged.relay.logged)).not.toContain('a@b.example');

    // The host is still down: one delivery probes it, however many failed at once, and the others wait again.
    const second = staged.to('a.example').length;
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.to('a.example').length).toBe(second + 1));
    hosts['a.example'] = answers(200);
    await vi.waitFor(async () => {
      staged.relay.advance(minute);
      expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(31);
    });
    expect(await staged.waiting()).toEqual([]);
  });

  test('a failure of one delivery does not affect the others', async () => {
    let isUp = false;
    const hosts: Record<string, Host> = {
      'a.example': async ({ url }) => ({ ...ok, status: isUp && url.pathname === '/good' ? 200 : 500 }),
    };
    const path = (name: string) => formTo(name, `a.example/${name}`).replace('/"', '"');
    const staged = await stage(path('good') + path('bad'), hosts);
    for (let time = 0; time < 12; time += 1) {
      await staged.submit('bad');
      await staged.submit('good', 2);
    }
    isUp = true;
    await vi.waitFor(async () => {
      staged.relay.advance(minute);
      expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(24);
    });
    expect(await staged.waiting()).toHaveLength(12);
  });

  test('a host that hangs does not delay other hosts', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503), 'b.example': answers(503) };
    const staged = await stage(formTo('slow', 'a.example') + formTo('quick', 'b.example'), hosts);
    await staged.submit('slow', 300);
    await staged.submit('quick', 5);
    const { host, release } = hangingHost();
    hosts['a.example'] = host;
    hosts['b.example'] = answers(200);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(5));
    expect(staged.most.get('a.example')).toBeLessThanOrEqual(8);
    release();
  });

  test('a slow host does not delay other hosts, either', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503), 'b.example': answers(503) };
    const staged = await stage(formTo('slow', 'a.example') + formTo('quick', 'b.example'), hosts);
    await staged.submit('slow', 400);
    await staged.submit('quick', 5);
    // About five requests a second.
    hosts['a.example'] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      return ok;
    };
    hosts['b.example'] = answers(200);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.to('b.example')).toHaveLength(10));
  });

  test('all deliveries wait for a host’s Retry-After', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503, { 'retry-after': '7200' }) };
    const staged = await stage(formTo('one', 'a.example'), hosts);
    await staged.submit('one');
    const [first] = await staged.waiting();
    expect(first?.dueAt).toBe((first?.kept.keptAt ?? 0) + 2 * hour);
    staged.relay.advance(2 * hour - 1_000);
    hosts['a.example'] = answers(429, { 'retry-after': String(10 * 365 * 86_400) });
    staged.relay.advance(1_000);
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'put_off')).toHaveLength(1));
    const [again] = await staged.waiting();
    // A delivery never waits for ten years.
    expect((again?.dueAt ?? 0) - staged.relay.relay.services.now()).toBeLessThanOrEqual(day);
  });
});

describe('an outcome', () => {
  test.each([
    ['when', ', when: {field: email, is: a@b.example}', ', when: {field: email, is: c@d.example}'],
    ['aside', ', aside: never', ', aside: only'],
  ])(
    'a delivery that its output no longer accepts, because of its `%s`, becomes a dead letter',
    async (_, was, is) => {
      const hosts: Record<string, Host> = { 'a.example': answers(503) };
      const form = (condition: string) =>
        formTo('one', 'a.example', 'failed', condition)
          .replace('fields:', 'spam: {doubt: {tag: 4, aside: 8}}\n    fields:')
          .replace(
            'outputs: [',
            'outputs: [{type: http_post, url: "https://b.example/", mapping: "*", aside: also}, ',
          );
      const staged = await stage(form(was), hosts);
      await staged.submit('one');
      hosts['a.example'] = answers(200);
      await staged.reload(`keep: {in: /var/lib/form-relay}\nforms:\n${form(is)}`);
      staged.relay.advance(minute);
      await vi.waitFor(() => expect(staged.lines('kept_delivery')).toHaveLength(1));
      expect(staged.lines('kept_delivery')[0]).toMatchObject({ level: 'error', aside: 'refused', tries: 1 });
      expect(staged.to('a.example')).toHaveLength(1);
      expect(await staged.waiting()).toMatchObject([
        { deadLetter: 'refused', kept: { tries: 1, why: { code: 'output_declines' } } },
      ]);
    },
  );

  test.each([
    [answers(400), 'the server answered 400'],
    [answers(401), 'the server answered 401'],
    [answers(410), 'the server answered 410'],
  ])('a failure that only the owner can fix is a dead letter, logged as an error', async (host, reason) => {
    const staged = await stage(formTo('one', 'a.example'), { 'a.example': host });
    await staged.submit('one');
    expect(staged.lines('delivery_failed')).toMatchObject([{ level: 'warn', reason }]);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery')).toHaveLength(1));
    expect(staged.lines('kept_delivery')[0]).toMatchObject({
      level: 'error',
      outcome: 'aside',
      aside: 'refused',
      tries: 2,
      reason,
    });
    expect(await staged.waiting()).toMatchObject([
      { deadLetter: 'refused', kept: { tries: 2, why: { code: 'http_status' } } },
    ]);
    // The log has one line per attempt.
    expect(staged.lines('delivery_failed')).toHaveLength(1);
    staged.relay.advance(30 * day);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(staged.requests).toHaveLength(2);
  });

  test('an expired delivery is tried once more, and then becomes a dead letter', async () => {
    const keep = '{in: /var/lib/form-relay, for: 20m}';
    const staged = await stage(formTo('one', 'a.example'), { 'a.example': answers(503) }, { keep });
    await staged.submit('one');
    const seen = () => staged.lines('kept_delivery').length;
    for (const [nth, at] of [1, 5, 15].entries()) {
      const waits = at - ([0, 1, 5, 15][nth] ?? 0);
      staged.relay.advance(waits * minute);
      await vi.waitFor(() => expect(seen()).toBe(nth + 1));
    }
    expect(staged.lines('kept_delivery', 'put_off')).toHaveLength(3);
    staged.relay.advance(5 * minute);
    await vi.waitFor(() => expect(seen()).toBe(4));
    expect(staged.lines('kept_delivery').at(-1)).toMatchObject({
      level: 'error',
      outcome: 'aside',
      aside: 'expired',
      tries: 5,
    });
    expect(await staged.waiting()).toMatchObject([{ deadLetter: 'expired' }]);
  });

  test('a clock that jumps ahead loses nothing, and a clock set back delays by its jump at most', async () => {
    const hosts: Record<string, Host> = { 'a.example': nobodyListens };
    const staged = await stage(formTo('one', 'a.example'), hosts);
    await staged.submit('one', 3);
    staged.relay.advance(3_650 * day);
    await vi.waitFor(async () => {
      staged.relay.advance(minute);
      expect((await staged.waiting()).filter(({ deadLetter }) => deadLetter === 'expired')).toHaveLength(3);
    });
    await staged.submit('one');
    staged.relay.advance(-3_650 * day);
    hosts['a.example'] = answers(200);
    await staged.submit('one');
    staged.relay.advance(3_650 * day + minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(1));
  });
});

describe('a config that changes', () => {
  test('a delivery waits while its form or its output is missing, and arrives when both are back', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const staged = await stage(formTo('one', 'a.example'), hosts);
    const before = `keep: {in: /var/lib/form-relay}\nforms:\n${formTo('one', 'a.example')}`;
    await staged.submit('one');
    hosts['a.example'] = answers(200);
    await staged.reload(before.replace('one:', 'other:'));
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_put_off')).toHaveLength(1));
    expect(staged.lines('kept_put_off')[0]).toMatchObject({ form: 'one', deliveries: 1, level: 'warn' });
    const twoOthers =
      '{type: http_post, url: "https://c.example/"}, {type: http_post, url: "https://d.example/"}';
    await staged.reload(before.replace(/outputs: .*/, `outputs: [${twoOthers}]`));
    await vi.waitFor(async () => {
      staged.relay.advance(minute);
      expect((await staged.waiting())[0]?.kept.why?.code).toBe('output_gone');
    });
    expect(staged.requests).toHaveLength(1);
    await staged.reload(before);
    await vi.waitFor(async () => {
      staged.relay.advance(minute);
      expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(1);
    });
    // The host got no request while the form or output was missing.
    expect(staged.lines('kept_delivery', 'delivered')[0]).toMatchObject({ tries: 2 });
    expect(await staged.waiting()).toEqual([]);
  });

  test('a new store is used from then on, and deliveries left in the old one are reported', async () => {
    const staged = await stage(formTo('one', 'a.example'), { 'a.example': answers(503) });
    await staged.submit('one', 2);
    await staged.reload(`keep: {in: /srv/kept}\nforms:\n${formTo('one', 'a.example')}`);
    await vi.waitFor(() => expect(staged.lines('keep_left_behind')).toHaveLength(1));
    expect(staged.lines('keep_left_behind')[0]).toMatchObject({
      level: 'warn',
      keep: '/var/lib/form-relay',
      deliveries: 2,
      reason: expect.stringContaining('relay kept deliver --in /var/lib/form-relay'),
    });
    await staged.submit('one');
    expect(await staged.waiting('/srv/kept')).toHaveLength(1);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery')).toHaveLength(1));
  });

  test('two relays with different configs: the one that knows the form delivers', async () => {
    const one = await stage(formTo('one', 'a.example'), { 'a.example': answers(503) });
    await one.submit('one', 5);
    await one.relay.close();
    const other = await stage(formTo('two', 'b.example'), {}, { shared: one });
    const third = await stage(formTo('one', 'a.example'), {}, { shared: one });
    for (const { relay } of [other, third]) await relay.relay.config.get();
    await vi.waitFor(() => {
      one.relay.advance(minute);
      expect(third.lines('kept_delivery', 'delivered')).toHaveLength(5);
    });
    expect(other.requests).toEqual([]);
    expect(await one.waiting()).toEqual([]);
  });
});

describe('a store', () => {
  test('that is down is reported once, again each minute, and when it is back', async () => {
    let isAway = true;
    const staged = await stage(
      formTo('one', 'a.example'),
      {},
      {
        store: ({ lease }) => ({
          lease: async (most, waitMs) => {
            if (!isAway) return lease(most, waitMs);
            throw failed('folder_missing', { path: '/var/lib/form-relay' });
          },
        }),
      },
    );
    await staged.relay.relay.config.get();
    // Each pause of a second moves the clock.
    await vi.waitFor(() => expect(staged.relay.waited.length).toBeGreaterThan(150));
    isAway = false;
    await vi.waitFor(() => expect(staged.lines('keep_available')).toHaveLength(1));
    const logged = staged.lines('keep_unavailable');
    expect(logged[0]).toMatchObject({
      level: 'error',
      keep: '/var/lib/form-relay',
      reason: expect.stringContaining('there is no folder'),
    });
    expect(logged.length).toBeGreaterThanOrEqual(2);
    expect(logged.length).toBeLessThanOrEqual(Math.ceil(staged.relay.waited.length / 60) + 1);
  });

  test('that cannot settle is asked again, and nothing is delivered twice', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const store = failingToSettle(2, full);
    const staged = await stage(formTo('one', 'a.example'), hosts, { store });
    await staged.submit('one');
    hosts['a.example'] = answers(200);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(1));
    expect(staged.to('a.example')).toHaveLength(2);
    expect(staged.lines('kept_unsettled')[0]).toMatchObject({ level: 'error', deliveries: 1 });
    expect(await staged.waiting()).toEqual([]);
  });

  test('that cannot settle many leases leaks no listeners', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const store = failingToSettle(20, full);
    const staged = await stage(formTo('one', 'a.example'), hosts, { store });
    await staged.submit('one', 20);
    hosts['a.example'] = answers(200);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(20));
    expect(warnings).toEqual([]);
  });

  test('that has a bug does not keep deliveries leased by a running relay', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const store = failingToSettle(1, () => new TypeError('a bug'));
    const staged = await stage(formTo('one', 'a.example'), hosts, { store });
    await staged.submit('one');
    hosts['a.example'] = answers(200);
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('internal_error')).toHaveLength(1));
    staged.relay.advance(5 * minute);
    await vi.waitFor(() => expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(1));
    expect(await staged.waiting()).toEqual([]);
  });

  test('a lease that another relay has taken over is left to it', async () => {
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const staged = await stage(formTo('one', 'a.example'), hosts, {
      store: withLeases(() => ({
        reschedule: async () => {
          throw failed('claim_lost');
        },
      })),
    });
    await staged.submit('one');
    staged.relay.advance(minute);
    await vi.waitFor(() => expect(staged.lines('kept_unsettled')).toHaveLength(1));
    expect(staged.lines('kept_delivery')).toEqual([]);
  });

  test('leases no more than may be held at once, in number and in bytes', async () => {
    const calls: [number, number | undefined][] = [];
    let held = 0;
    let mostHeld = 0;
    const hosts: Record<string, Host> = { 'a.example': answers(503) };
    const staged = await stage(formTo('one', 'a.example'), hosts, {
      store: (memory) => ({
        lease: async (most, waitMs, mostBytes) => {
          calls.push([most, mostBytes]);
          const leases = await memory.lease(most, waitMs, mostBytes);
          held += leases.length;
          mostHeld = Math.max(mostHeld, held);
          const settled = <A extends unknown[]>(settle: (...args: A) => Promise<void>) => {
            return async (...args: A) => {
              held -= 1;
              await settle(...args);
            };
          };
          return leases.map((lease) => ({
            ...lease,
            done: settled(lease.done),
            reschedule: settled(lease.reschedule),
            deadLetter: settled(lease.deadLetter),
          }));
        },
      }),
    });
    await staged.submit('one', 500);
    hosts['a.example'] = answers(200);
    await vi.waitFor(() => {
      staged.relay.advance(minute);
      expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(500);
    });
    expect(mostHeld).toBeLessThanOrEqual(256);
    for (const [most, bytes = 0] of calls) {
      expect(most).toBeLessThanOrEqual(32);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(32_000_000);
    }
  });
});

test('stopping: waits for the attempt in progress, and leaves queued ones to the next start', async () => {
  const { host, release } = hangingHost();
  const hosts: Record<string, Host> = { 'a.example': answers(503) };
  let isClosed = false;
  const staged = await stage(formTo('one', 'a.example'), hosts, {
    close: async () => {
      isClosed = true;
    },
  });
  await staged.submit('one', 12);
  hosts['a.example'] = host;
  staged.relay.advance(minute);
  await vi.waitFor(() => expect(staged.most.get('a.example')).toBe(8));
  const closing = staged.relay.relay.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isClosed).toBe(false);
  release();
  await closing;
  expect(isClosed).toBe(true);
  expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(8);
  expect(await staged.waiting()).toHaveLength(4);
});

test('with keep: always, deliveries follow the response, up to SUBMISSION_LIMIT at once; the rest wait in the store', async () => {
  const { host, release } = hangingHost();
  const mine: boolean[] = [];
  const staged = await stage(
    formTo('one', 'a.example', 'always'),
    { 'a.example': host },
    {
      env: { SUBMISSION_LIMIT: '20' },
      store: (memory) => ({
        keep: (entries, options) => {
          mine.push(options.isMine);
          return memory.keep(entries, options);
        },
      }),
    },
  );
  await staged.submit('one', 30);
  expect(mine).toEqual([...Array(20).fill(true), ...Array(10).fill(false)]);
  release();
  await vi.waitFor(async () => {
    staged.relay.advance(1_000);
    expect(staged.lines('kept_delivery', 'delivered')).toHaveLength(30);
  });
  expect(new Set(staged.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(30);
  expect(staged.requests).toHaveLength(30);
});

test('an unexpected error does not end the loop', async () => {
  let isBroken = true;
  const staged = await stage(
    formTo('one', 'a.example'),
    { 'a.example': answers(503) },
    {
      store: (memory) => ({
        lease: async (most, waitMs) => {
          if (isBroken) throw new TypeError('a bug');
          return memory.lease(most, waitMs);
        },
      }),
    },
  );
  await staged.submit('one');
  await vi.waitFor(() => expect(staged.lines('keep_unavailable')).not.toEqual([]));
  expect(staged.lines('keep_unavailable')[0]).toMatchObject({ stack: expect.arrayContaining(['TypeError']) });
  isBroken = false;
  staged.relay.advance(minute);
  await vi.waitFor(() => expect(staged.to('a.example')).toHaveLength(2));
});
