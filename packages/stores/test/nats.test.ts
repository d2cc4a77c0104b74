/** The behaviour of NATS JetStream beyond the promises of every store (test/contract/stores.test.ts), with Debian's server. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiscardPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ClientError } from '../../../test/support/failed.ts';
import { listen, relayWith, startHttpSink, startRelay, untilLogged } from '../../../test/support/index.ts';
import { hasNats, limited, type NatsServer, startNats, startWire } from '../../../test/support/nats.ts';
import { openNatsStore } from '../../../test/support/stores/nats.ts';
import type { OpenedStore } from '../../../test/support/stores/place.ts';
import { keptOf } from '../../../test/support/stores/place.ts';
import { keptFormat } from '../src/entry.ts';
import { StreamConnection } from '../src/nats/connection.ts';
import { NatsLeases } from '../src/nats/nats_leases.ts';
import { timeLimit } from '../src/open_store.ts';
import type { Lease, Listed, Queued } from '../src/store.ts';

const patienceMs = 30_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(more = ''): Promise<NatsServer> {
  const server = await startNats(more);
  cleanups.push(server.close);
  return server;
}

async function open(...given: Parameters<typeof openNatsStore>): Promise<OpenedStore> {
  const store = await openNatsStore(...given);
  cleanups.push(() => store.close());
  return store;
}

const connectionTo = (port: number) =>
  new StreamConnection(
    { name: '', servers: [`127.0.0.1:${port}`], stream: 'kept', isTls: false },
    () => undefined,
  );

/** A connection with the rights of the server's owner. */
async function owner(port: number) {
  const nc = await connect({ servers: `127.0.0.1:${port}` });
  cleanups.push(() => nc.close());
  return { nc, jsm: await jetstreamManager(nc) };
}

/** Writes to the account of a stream until it is completely full. */
async function fill(jsm: JetStreamManager): Promise<void> {
  const js = jsm.jetstream();
  let isRefused = false;
  // Fill the room step by step: a message may fit that does not fit together with the server's overhead.
  for (const bytes of [10_000, 1_000, 100, 10, 1]) {
    isRefused = false;
    for (let tries = 0; tries < 200 && !isRefused; tries += 1)
      await js.publish('kept.filler', Buffer.alloc(bytes)).catch(() => {
        isRefused = true;
      });
  }
  expect(isRefused).toBe(true);
}

const entry = (more: Partial<Queued> = {}) => keptOf(Date.now(), more);
const keep = (store: OpenedStore, kept: readonly Queued[], dueAt = Date.now(), timeoutMs = patienceMs) =>
  store.keep(kept, { isMine: false, dueAt, timeoutMs });

async function lease(store: OpenedStore, count: number): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  const until = Date.now() + patienceMs;
  while (leases.length < count && Date.now() < until)
    leases.push(...(await store.lease(count - leases.length, 1_000)));
  expect(leases).toHaveLength(count);
  return leases;
}

async function listed(store: OpenedStore): Promise<Listed[]> {
  const all: Listed[] = [];
  for await (const one of store.list()) all.push(one);
  return all;
}

function there<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('it is not there');
  return found;
}

/** The failure as reported to the owner. */
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error) => (error instanceof ClientError ? `${error.code}: ${error.message}` : error),
  );

describe.skipIf(!hasNats)('a stream', () => {
  let server: NatsServer;
  let store: OpenedStore;
  beforeEach(async () => {
    server = await start();
    store = await open(server.port);
  });

  test('loses nothing if two processes have the same entries and reschedule them at the same time', async () => {
    const kept = Array.from({ length: 200 }, () => entry());
    await store.setUp?.();
    await keep(store, kept);
    const first = await lease(store, kept.length);
    // A new consumer hands out everything again.
    const { jsm } = await owner(server.port);
    await jsm.consumers.delete('kept', 'due');
    await store.setUp?.();
    const other = await open(server.port);
    const second = await lease(other, kept.length);
    const later = Date.now() + 3_600_000;
    await Promise.allSettled([...first, ...second].map((one) => one.reschedule(later, one.kept)));
    const ids = (await listed(other)).map((one) => one.kept.id).toSorted();
    expect(ids).toEqual(kept.map(({ id }) => id).toSorted());
  });

  test('that is too full for a large entry removes the parts already written', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    await jsm.streams.update('kept', { max_bytes: 3_000_000 });
    const large = entry({ content: Buffer.alloc(5_000_000) });
    expect(await failure(keep(store, [large]))).toMatch(/^nats_full/);
    await vi.waitFor(async () => expect((await jsm.streams.info('kept')).state.messages).toBe(0));
    await keep(store, [entry()]);
    expect(await listed(store)).toHaveLength(1);
  });

  test('is created once, and what was done is reported', async () => {
    expect(await store.setUp?.()).toEqual([
      'created the stream kept, with 1 replica',
      'created the consumer: due',
    ]);
    expect(await store.setUp?.()).toEqual([
      'the stream kept exists, with 1 replica',
      'the consumer due has the right settings',
    ]);
    expect(await store.probe(timeLimit(patienceMs))).toEqual([
      { level: 'ok', says: expect.stringMatching(/^NATS 2\.\d+\.\d+ has the stream kept, with 1 replica$/) },
      {
        level: 'warning',
        says: 'only one server has a copy: if its disk fails, queued deliveries are lost',
        remedy: expect.stringContaining('relay kept setup'),
      },
    ]);
  });

  test('that does not exist is reported for any request', async () => {
    expect(await failure(store.probe(timeLimit(patienceMs)))).toMatch(
      /^nats_no_stream: .*relay kept setup --in nats:\/\//,
    );
    expect(await failure(keep(store, [entry()]))).toMatch(
      /^nats_without_jetstream: .*relay kept setup --in nats:\/\//,
    );
    expect(await failure(store.lease(1, 0))).toMatch(/^nats_no_stream: /);
    expect(await failure(store.count())).toMatch(/^nats_no_stream: /);
    expect(await failure(listed(store))).toMatch(/^nats_no_stream: /);
  }, 60_000);

  test('without its consumer is reported, and repaired', async () => {
    await store.setUp?.();
    await keep(store, [entry()]);
    const { jsm } = await owner(server.port);
    await jsm.consumers.delete('kept', 'due');
    expect(await failure(store.lease(1, 0))).toMatch(/^nats_no_consumer: /);
    expect(await failure(store.probe(timeLimit(patienceMs)))).toMatch(/^nats_no_consumer: /);
    expect(await store.setUp?.()).toContain('created the consumer: due');
    await (await lease(store, 1))[0]?.done();
  });

  test('with a different config is reported', async () => {
    const { jsm } = await owner(server.port);
    const config = { name: 'kept', subjects: ['other'], max_bytes: 50_000_000, max_msgs_per_subject: 3 };
    await jsm.streams.add(config);
    expect(await failure(store.probe(timeLimit(patienceMs)))).toMatch(/the subject kept\.> is missing/);
    expect(await failure(Promise.resolve(store.setUp?.()))).toMatch(/the subject kept\.> is missing/);
    await jsm.streams.update('kept', {
      subjects: ['other', 'kept.>'],
      discard: 'new' as never,
      max_msgs_per_subject: -1,
    });
    await store.setUp?.();
    expect(await store.probe(timeLimit(patienceMs))).toContainEqual({
      level: 'warning',
      says: expect.stringMatching(
        /^when it has 50000000 bytes \(max_bytes\), the server deletes the oldest messages/,
      ),
      remedy: expect.stringContaining('nats stream edit kept --max-bytes=-1'),
    });
  });

  test('a wrong consumer is reported, and nothing is lost when it is created again', async () => {
    await store.setUp?.();
    await keep(store, [entry(), entry()]);
    const [first] = await lease(store, 1);
    const { jsm } = await owner(server.port);
    await jsm.consumers.update('kept', 'due', { ack_wait: 7_000_000_000 });
    expect(await failure(store.probe(timeLimit(patienceMs)))).toMatch(/the consumer due has other settings/);
    expect(await store.setUp?.()).toContain('replaced the consumer: due');
    await first?.done();
    await (await lease(store, 1))[0]?.done();
    expect(await listed(store)).toEqual([]);
  });

  test('that deletes old messages is reported', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    await jsm.streams.update('kept', { max_age: 86_400_000_000_000 });
    expect(await store.probe(timeLimit(patienceMs))).toContainEqual({
      level: 'warning',
      says: 'deletes messages older than 24 h (max_age), delivered or not',
      remedy: expect.stringContaining('nats stream edit kept --max-age 0'),
    });
  });

  test('that may lose deliveries is reported when a relay starts', async () => {
    const { jsm } = await owner(server.port);
    const atRisk = async () => {
      const relay = await relayWith({
        config: `keep: {in: "nats://127.0.0.1:${server.port}/kept"}
forms: {contact: {keep: failed, fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
      });
      await relay.get('/readyz');
      const warnings = () => relay.logged.filter(({ event }) => event === 'keep_at_risk');
      await vi.waitFor(() => expect(warnings()).not.toEqual([]));
      return warnings()
        .map(({ level, in: place, reason }) => `${level} ${place}: ${reason}`)
        .join('\n');
    };
    await store.setUp?.();
    await jsm.streams.update('kept', { max_bytes: 50_000_000 });
    const name = `nats://127.0.0.1:${server.port}/kept`;
    expect(await atRisk()).toContain(
      `warn ${name}: when it has 50000000 bytes (max_bytes), the server deletes`,
    );
    await jsm.streams.update('kept', { discard: DiscardPolicy.Old });
    expect(await atRisk()).toMatch(/^warn .*a full stream discards old messages \(discard\)/);
  });

  test('that may lose deliveries is reported when its server starts after the relay', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    await jsm.streams.update('kept', { max_bytes: 50_000_000 });
    await server.kill();
    const relay = await relayWith({
      config: `keep: {in: "nats://127.0.0.1:${server.port}/kept"}
forms: {contact: {keep: failed, fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`,
    });
    await relay.get('/readyz');
    const events = () => relay.logged.map(({ event }) => event);
    await vi.waitFor(() => expect(events()).toContain('keep_unavailable'));
    await server.start();
    await vi.waitFor(() => expect(events()).toContain('keep_at_risk'));
  }, 90_000);

  test('that is full accepts no more, and loses nothing', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    await jsm.streams.update('kept', { max_bytes: 200_000 });
    const content = Buffer.alloc(60_000, 'x');
    const kept = [entry({ content }), entry({ content }), entry({ content })];
    await keep(store, kept);
    expect(await failure(keep(store, [entry({ content })]))).toMatch(/^nats_full: /);
    const leases = await lease(store, 3);
    expect(leases.map((one) => one.kept.id).toSorted()).toEqual(kept.map(({ id }) => id));
    // A message that cannot be rewritten is rescheduled nevertheless.
    await leases[0]?.reschedule(Date.now() + 1_000, { ...there(leases[0]).kept, tries: 9 });
    expect(await store.lease(1, 0)).toEqual([]);
    expect(await failure(there(leases[1]).deadLetter('refused', there(leases[1]).kept))).toMatch(
      /^nats_full: /,
    );
    await leases[2]?.done();
    // The lease has remained, and now there is room.
    await leases[1]?.deadLetter('refused', there(leases[1]).kept);
    const [again] = await lease(store, 1);
    expect(again?.kept).toMatchObject({ id: leases[0]?.kept.id, tries: 1 });
    await again?.done();
    expect(await listed(store)).toMatchObject([{ kept: { id: leases[1]?.kept.id }, deadLetter: 'refused' }]);
  });

  test('in a completely full account still has everything that was confirmed', async () => {
    const { port } = await start(limited(100_000));
    const full = await open(port);
    await full.setUp?.();
    const { jsm } = await owner(port);
    const oldest = entry();
    await keep(full, [oldest]);
    await fill(jsm);
    expect(await failure(keep(full, [entry()]))).toMatch(/^nats_full: /);
    expect(await listed(full)).toMatchObject([{ kept: { id: oldest.id } }]);
  });

  test('in a completely full account can be emptied, by a relay and by its owner', async () => {
    const { port } = await start(limited(100_000));
    const full = await open(port);
    await full.setUp?.();
    const { jsm } = await owner(port);
    const kept = [entry(), entry()];
    await keep(full, kept);
    await fill(jsm);
    expect(await failure(keep(full, [entry()]))).toMatch(/^nats_full: /);
    // Leasing needs no room; otherwise there would never be any.
    const [one] = await lease(full, 1);
    const isOther = ({ kept }: Listed) => kept.id !== there(one).kept.id;
    for await (const other of full.leaseMatching(isOther)) await other.done();
    await there(one).done();
    expect(await listed(full)).toEqual([]);
    await keep(full, [entry()]);
  });

  test('has everything it has confirmed, even if it is killed during writes', async () => {
    await store.setUp?.();
    const confirmed: string[] = [];
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const one = entry();
        await keep(store, [one], Date.now(), 3_000).then(
          () => confirmed.push(one.id),
          () => {},
        );
      }
    };
    const writers = Array.from({ length: 20 }, write);
    for (let kill = 0; kill < 3; kill += 1) {
      const before = confirmed.length;
      await vi.waitFor(() => expect(confirmed.length).toBeGreaterThan(before + 200));
      await server.kill();
      await server.start();
    }
    isOver = true;
    await Promise.all(writers);
    const there = new Set((await listed(store)).map(({ kept }) => kept.id));
    expect(confirmed.filter((id) => !there.has(id))).toEqual([]);
    const got = new Set<string>();
    await vi.waitFor(async () => {
      const leases = await store.lease(200, 500);
      for (const one of leases) got.add(one.kept.id);
      await Promise.all(leases.map((one) => one.done()));
      expect(confirmed.filter((id) => !got.has(id))).toEqual([]);
    });
  }, 120_000);

  test('that does not respond is given up in time, and later written to again, once', async () => {
    await store.setUp?.();
    const wire = await startWire(server.port);
    cleanups.push(wire.close);
    const far = await open(wire.port);
    const before = entry();
    await keep(far, [before]);
    wire.stop();
    const startedAt = performance.now();
    expect(await failure(keep(far, [entry({ form: 'lost' })], Date.now(), 1_500))).toMatch(/^timed_out: /);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    wire.cut();
    expect(await failure(keep(far, [entry({ form: 'lost' })], Date.now(), 500))).toMatch(/^timed_out: /);
    wire.mend();
    const after = entry();
    await keep(far, [after]);
    const forms = (await listed(store)).map(({ kept }) => kept.id);
    expect(forms.toSorted()).toEqual([before.id, after.id].toSorted());
  });

  const hours = 3_600_000;

  /** Puts the consumer into a state in which it counts existing messages as delivered. */
  async function loseAll(count: number): Promise<void> {
    const { nc, jsm } = await owner(server.port);
    const inbox = `_INBOX.${entry().id}`;
    const acknowledged = new Promise<void>((resolve) => {
      let seen = 0;
      nc.subscribe(inbox, {
        max: count,
        callback: (_, message) => {
          message.respond('+ACK');
          seen += 1;
          if (seen === count) resolve();
        },
      });
    });
    nc.publish('$JS.API.CONSUMER.MSG.NEXT.kept.due', JSON.stringify({ batch: count, expires: 5e9 }), {
      reply: inbox,
    });
    await acknowledged;
    await vi.waitFor(async () => {
      const { num_pending, num_ack_pending } = await jsm.consumers.info('kept', 'due');
      expect(num_pending + num_ack_pending).toBe(0);
    });
  }

  test('hands out what its consumer has lost, as after a crash', async () => {
    await store.setUp?.();
    const [lost, waiting] = [entry(), entry()];
    await keep(store, [lost], Date.now() - 11 * 60_000);
    await loseAll(1);
    await keep(store, [waiting], Date.now() + hours);
    const [again] = await lease(store, 1);
    expect(again?.kept.id).toBe(lost.id);
    await again?.done();
    expect((await listed(store)).map(({ kept }) => kept.id)).toEqual([waiting.id]);
  });

  test('hands out some of many lost entries before it rewrites all of them', async () => {
    await store.setUp?.();
    const lost = Array.from({ length: 200 }, () => entry());
    await keep(store, lost, Date.now() - 2 * hours);
    await loseAll(lost.length);
    const { jsm } = await owner(server.port);
    const { last_seq: before } = (await jsm.streams.info('kept')).state;
    const some = await lease(store, 10);
    expect(some).toHaveLength(10);
    expect((await jsm.streams.info('kept')).state.last_seq - before).toBeLessThan(100);
    for (const one of some) await one.done();
    for (const one of await lease(store, lost.length - some.length)) await one.done();
    expect(await listed(store)).toEqual([]);
  }, 60_000);

  test('removes parts of entries that were never completely written', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    const large = entry({ content: Buffer.alloc(1_500_000, 'x') });
    await keep(store, [large]);
    await jsm.jetstream().publish('kept.part.none', Buffer.alloc(500_000));
    const messages = async () => (await jsm.streams.info('kept')).state.messages;
    expect(await messages()).toBe(5);
    // The entry may still be on its way.
    await store.setUp?.();
    expect(await messages()).toBe(5);
    const later = new NatsLeases(connectionTo(server.port), { now: () => Date.now() + 7_200_000 });
    cleanups.push(() => later.close());
    expect(await later.setUp?.()).toContain('removed the files of 1 incomplete submissions');
    expect(await messages()).toBe(4);
    const [one] = await lease(store, 1);
    expect(Buffer.compare(there(one).kept.content, large.content)).toBe(0);
    await one?.done();
    await expect
      .poll(async () =>
        Object.keys(
          (await jsm.streams.info('kept', { subjects_filter: 'kept.part.>' })).state.subjects ?? {},
        ),
      )
      .toEqual([]);
  });

  test('shows large contents only on request, and says when a part is gone', async () => {
    await store.setUp?.();
    const large = entry({ content: Buffer.alloc(1_500_000, 'x') });
    await keep(store, [large]);
    const [one] = await listed(store);
    expect(one?.kept.content).toHaveLength(0);
    expect(Buffer.compare(Buffer.from(await there(there(one).content)()), large.content)).toBe(0);
    const { jsm } = await owner(server.port);
    await jsm.streams.deleteMessage('kept', 2);
    expect(await failure(there(there(one).content)())).toMatch(/^nats_part_missing: /);
    const [leased] = await lease(store, 1);
    expect(leased).toMatchObject({ isDamaged: true, kept: { id: large.id } });
    await leased?.deadLetter('unreadable', there(leased).kept);
    expect(await listed(store)).toMatchObject([{ deadLetter: 'unreadable', kept: { id: large.id } }]);
  });

  test('reads no more parts than the relay writes, whatever an entry claims', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    const js = jsm.jetstream();
    const { seq } = await js.publish('kept.part.x', Buffer.alloc(524_288));
    const at = Array(1_000).fill(seq);
    const parts = { id: 'x', at, bytes: 1 };
    const head = { format: keptFormat, ...entry(), content: undefined, dueAt: 1, parts };
    await js.publish('kept.due.contact.1', `${JSON.stringify(head)}\n`);
    const [one] = await listed(store);
    expect(await failure(there(there(one).content)())).toMatch(/^nats_part_missing: /);
    const [planted] = await lease(store, 1);
    expect(planted?.isDamaged).toBe(true);
    expect(planted?.kept.content).toHaveLength(0);
  });

  test('may contain messages of others', async () => {
    await store.setUp?.();
    const { jsm } = await owner(server.port);
    const head = JSON.stringify({
      format: keptFormat,
      ...entry(),
      content: undefined,
      dueAt: 1,
      parts: { id: '*.>', at: [1], bytes: 5 },
    });
    const foreign: readonly [subject: string, data: string][] = [
      ['kept.due.contact.1', 'hello'],
      ['kept.due.contact.1', ''],
      ['kept.due.contact.1', '{}\n'],
      ['kept.due.contact', 'null\n'],
      ['kept.due.%ff.x.y', '[]\n'],
      ['kept.due.contact.999999999999999', `${head}\n`],
      ['kept.else', 'hello'],
      ['kept.leased.x', 'hello'],
      ['kept.taken.x', 'hello'],
      ['kept.taken.y', '{"a":1}'],
    ];
    for (const [subject, data] of foreign) await jsm.jetstream().publish(subject, data);
    const whole = entry();
    await keep(store, [whole]);
    expect(await listed(store)).toHaveLength(7);
    const leases = await lease(store, 7);
    const damaged = leases.filter((one) => one.isDamaged);
    expect(damaged).toHaveLength(6);
    for (const one of damaged) await one.deadLetter('unreadable', one.kept);
    await leases.find((one) => one.kept.id === whole.id)?.done();
    expect((await listed(store)).map(({ deadLetter }) => deadLetter)).toEqual(Array(6).fill('unreadable'));
    const contents = (await listed(store)).map(({ kept }) => Buffer.from(kept.content).toString());
    expect(contents).toContain('hello');
    // The message is passed on unchanged, because another version of the relay may know it.
    for await (const one of store.leaseMatching(() => true)) await one.reschedule(Date.now(), one.kept);
    const again = await lease(store, 6);
    expect(again.every((one) => one.isDamaged)).toBe(true);
    const sent = foreign.slice(0, 6).map(([, data]) => data);
    expect(again.map(({ kept }) => Buffer.from(kept.content).toString()).toSorted()).toEqual(sent.toSorted());
    for (const one of again) await one.done();
    expect(await listed(store)).toEqual([]);
    expect([...(await store.count()).forms]).toEqual([]);
  });
});

describe.skipIf(!hasNats)('servers', () => {
  test('are logged in to with the credentials in the environment', async () => {
    const seed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
    const server = await start(`authorization { users = [
      { user: relay, password: "s3cret!", permissions: {
        publish: ["kept.>", "$JS.API.>", "$JS.ACK.>"], subscribe: "_INBOX.>" } }
      { nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }
      { user: guest, password: guest, permissions: { publish: ["_INBOX.>"], subscribe: "_INBOX.>" } }
    ] }`);
    const good = await open(server.port, { NATS_USER: 'relay', NATS_PASSWORD: 's3cret!' });
    await good.setUp?.();
    await keep(good, [entry()]);
    const wrong = await failure(
      keep(await open(server.port, { NATS_USER: 'relay', NATS_PASSWORD: 'n0!' }), [entry()]),
    );
    expect(wrong).toMatch(/^nats_login_refused: .*NATS_PASSWORD/);
    expect(wrong).not.toContain('n0!');
    expect(await failure(keep(await open(server.port), [entry()]))).toMatch(/^nats_login_refused: /);
    const path = join(mkdtempSync(join(tmpdir(), 'nkey-')), 'relay.nk');
    writeFileSync(path, `${seed}\n`);
    await keep(await open(server.port, { NATS_NKEY: path }), [entry()]);
    expect(await listed(good)).toHaveLength(2);
    const [first, second] = await lease(good, 2);
    await first?.done();
    await second?.reschedule(Date.now(), second.kept);
    await (await lease(good, 1))[0]?.deadLetter('refused', there(second).kept);
    for await (const one of good.leaseMatching(() => true)) await one.done();
    expect(await listed(good)).toEqual([]);
    expect(await good.isFirst?.('a key')).toBe(true);
    expect(await good.isFirst?.('a key')).toBe(false);
    const guest = await open(server.port, { NATS_USER: 'guest', NATS_PASSWORD: 'guest' });
    expect(await failure(keep(guest, [entry()], Date.now(), 3_000))).toMatch(/^nats_not_allowed: .*publish/);
  });

  test('get nothing if a file with credentials is missing or invalid', async () => {
    const server = await start();
    const missing = await open(server.port, { NATS_CREDS: '/nowhere/relay.creds' });
    expect(await failure(missing.probe(timeLimit(patienceMs)))).toBe(
      'nats_file_unreadable: NATS_CREDS names /nowhere/relay.creds, which cannot be read: the file does not exist',
    );
    const path = join(mkdtempSync(join(tmpdir(), 'creds-')), 'relay.creds');
    writeFileSync(path, 'secret words');
    for (const name of ['NATS_CREDS', 'NATS_NKEY']) {
      const malformed = await failure(
        (await open(server.port, { [name]: path })).probe(timeLimit(patienceMs)),
      );
      expect(malformed).toMatch(/^nats_credentials_malformed: /);
      expect(malformed).not.toContain('secret words');
    }
  });

  test('with TLS are trusted if a trusted authority has signed their certificate', async () => {
    const files = new URL('../../../test/support/', import.meta.url).pathname;
    const server = await start(`tls { cert_file: "${files}server.pem", key_file: "${files}server.key" }`);
    const trusting = await open(server.port, { NATS_CA: `${files}ca.pem` }, { isTls: true });
    await trusting.setUp?.();
    await keep(trusting, [entry()]);
    const strict = await open(server.port, {}, { isTls: true });
    expect(await failure(strict.probe(timeLimit(patienceMs)))).toMatch(/^certificate_untrusted: /);
    const plain = await start();
    const cautious = await open(plain.port, {}, { isTls: true });
    expect(await failure(cautious.probe(timeLimit(patienceMs)))).toMatch(/^nats_without_tls: /);
  });

  test('in a cluster of three tolerate the loss of one', async () => {
    const names = ['a', 'b', 'c'];
    const cluster = await startCluster(names);
    const store = await open(there(cluster[0]).port);
    await vi.waitFor(async () => {
      expect(await store.setUp?.()).toContain('the stream kept exists, with 3 replicas');
    });
    const kept = Array.from({ length: 20 }, () => entry());
    // The servers may elect a new leader at any moment.
    await vi.waitFor(() => keep(store, kept.slice(0, 10)));
    await there(cluster[0]).kill();
    await vi.waitFor(() => keep(store, kept.slice(10)));
    const ids = new Set<string>();
    await vi.waitFor(async () => {
      for (const one of await store.lease(50, 500)) {
        ids.add(one.kept.id);
        await one.done();
      }
      expect(ids.size).toBe(20);
    });
  }, 120_000);

  async function startCluster(names: readonly string[]): Promise<readonly NatsServer[]> {
    const routes = names.map((_, at) => 19_000 + (process.pid % 300) * 3 + at);
    const all = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
    const starting = names.map((name, at) =>
      start(`server_name: ${name}\ncluster { name: c, listen: "127.0.0.1:${routes[at]}", routes: [${all}] }`),
    );
    return Promise.all(starting);
  }
});

describe.skipIf(!hasNats)('a relay', () => {
  async function relayOn({ port }: NatsServer, url: string, env?: Record<string, string>) {
    await (await open(port)).setUp?.();
    const relay = await startRelay({
      env,
      config: `
keep: {in: "nats://127.0.0.1:${port}/kept"}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs: [{type: http_post, url: "${url}", mapping: "*", retries: 0}]
`,
    });
    cleanups.push(relay.close);
    const submit = async () => (await relay.submit('contact', [['email', 'ada@example.org']])).status;
    return { relay, submit };
  }

  test('queues in a stream what it could not deliver, and delivers it when it can', async () => {
    const server = await start();
    let status = 503;
    const sink = await startHttpSink({ answer: () => ({ status }) });
    cleanups.push(sink.close);
    const { relay, submit } = await relayOn(server, sink.origin, {
      KEEP_SECRET: 'a secret of sufficient length, as it must be',
    });
    expect(await submit()).toBe(200);
    const { jsm } = await owner(server.port);
    const { state } = await jsm.streams.info('kept', { subjects_filter: 'kept.due.>' });
    const [subject] = Object.keys(state.subjects ?? {});
    const stored = await jsm.streams.getMessage('kept', { last_by_subj: there(subject) });
    expect(stored?.string()).not.toContain('ada@');
    status = 200;
    await sleep(1_500);
    expect(sink.requests).toHaveLength(1);
    relay.advance(70_000);
    await vi.waitFor(() => expect(sink.requests).toHaveLength(2));
    expect(sink.requests[1]?.headers['idempotency-key']).toBe(sink.requests[0]?.headers['idempotency-key']);
    await untilLogged(relay, { event: 'kept_delivery', outcome: 'delivered' });
  });

  test('stops at once although its server is down, and loses nothing that it has queued', async () => {
    const server = await start();
    const sink = await startHttpSink({ answer: () => ({ status: 503 }) });
    cleanups.push(sink.close);
    const { relay, submit } = await relayOn(server, sink.origin);
    expect(await submit()).toBe(200);
    await server.kill();
    // The relay counts waiting entries, and waits for due ones.
    relay.advance(3_600_000);
    await sleep(1_500);
    const startedAt = performance.now();
    await relay.close();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await server.start();
    expect(await listed(await open(server.port))).toHaveLength(1);
  });

  test('without its stream responds in time with a failure', async () => {
    const server = await start();
    const sink = await startHttpSink({ answer: () => ({ status: 503 }) });
    cleanups.push(sink.close);
    const { relay, submit } = await relayOn(server, sink.origin);
    expect(await submit()).toBe(200);
    await server.kill();
    const startedAt = performance.now();
    expect(await submit()).toBe(500);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'keep_failed' }));
    await server.start();
    await vi.waitFor(async () => expect(await submit()).toBe(200));
  });
});

test('a server that accepts connections but stays silent leaves no connection open', async () => {
  let open = 0;
  const silent = createServer((socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
    socket.on('error', () => {});
    socket.resume();
  });
  const port = await listen(silent);
  cleanups.push(() => silent.close());
  const store = await openNatsStore(port);
  const looked = failure(store.probe(timeLimit(patienceMs)));
  await vi.waitFor(() => expect(open).toBeGreaterThan(0));
  expect(await looked).toMatch(/^(nats_|timed_out)/);
  await store.close();
  await vi.waitFor(() => expect(open).toBe(0));
}, 90_000);
