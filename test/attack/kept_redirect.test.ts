/** An attacker who can write to the store tries to redirect what is queued there. */
import { createHash } from 'node:crypto';
import { storeOpener } from '../../packages/queue/src/open_stores.ts';
import { outputIdentity } from '../../packages/queue/src/output_match.ts';
import type { Listed, Queued } from '../../packages/stores/src/store.ts';
import { type HttpSink, startHttpSink, startRelay, type TestRelay } from '../support/index.ts';
import { type RewrittenPlace, rewrittenPlaces } from '../support/stores/rewritten.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const patience = { timeout: 45_000, interval: 100 };
const KEEP_SECRET = 'a secret that nobody else has, 1234567890';

/** Two forms with the same fields: the attacker tries to move a delivery from one output of the first to another output. */
const configOf = (place: RewrittenPlace, { origin }: HttpSink, when = 'sales') => `
keep: {in: "${place.in}"}
forms:
  contact:
    keep: failed
    fields: [{name: email}, {name: kind}]
    outputs:
      - {type: http_post, url: "${origin}/own", mapping: "*", retries: 0, when: {field: kind, is: ${when}}}
      - {type: http_post, url: "${origin}/declined", mapping: "*", retries: 0, when: {field: kind, is: never}}
      - {type: http_post, url: "${origin}/open", mapping: "*", retries: 0}
  jobs:
    fields: [{name: email}, {name: kind}]
    outputs:
      - {type: http_post, url: "${origin}/jobs", mapping: "*"}
`;

async function start(config: string, env: Readonly<Record<string, string>>): Promise<TestRelay> {
  const relay = await startRelay({ config, env });
  cleanups.push(relay.close);
  return relay;
}

/** Queues this many entries for their own output, then stops the relay. */
async function kept(place: RewrittenPlace, sink: HttpSink, count: number, env = { KEEP_SECRET }) {
  const relay = await start(configOf(place, sink), { ...place.env, ...env });
  for (let at = 0; at < count; at += 1) {
    const answer = await relay.submit('contact', [
      ['email', `visitor-${at}@example.org`],
      ['kind', 'sales'],
    ]);
    expect(answer.status).toBe(200);
  }
  const form = (await relay.relay.config.get())?.forms.get('contact');
  if (!form) throw new Error('there is no form');
  const outputs = form.outputs.map((_, index) => outputIdentity(form, index));
  await relay.close();
  cleanups.pop();
  return outputs;
}

async function stage(name: string) {
  const place = await (rewrittenPlaces[name] as (typeof rewrittenPlaces)[string]).create();
  cleanups.push(place.remove);
  let isUp = false;
  const sink = await startHttpSink({
    answer: ({ url }) => ({ status: isUp || url === '/open' ? 200 : 503 }),
  });
  cleanups.push(sink.close);
  let before = 0;
  return {
    place,
    sink,
    recover: () => {
      isUp = true;
      before = sink.requests.length;
    },
    delivered: () => sink.requests.slice(before).map(({ url }) => url),
  };
}

const turns = (relay: TestRelay) => relay.logged.filter(({ event }) => event === 'kept_delivery');

async function waiting(relay: TestRelay): Promise<readonly Listed[]> {
  const keep = (await relay.relay.config.get())?.shared.get('keep');
  if (!keep) throw new Error('no kept deliveries');
  const { leases, close } = await storeOpener(relay.relay.services, relay.relay.settings)(keep);
  const all: Listed[] = [];
  for await (const one of leases.list()) all.push(one);
  await close();
  return all;
}

/** An unkeyed checksum, which anybody can compute, around made-up content. */
function inClear({ id, form, output, receivedAt }: Queued): Buffer {
  const values = [['email', ['forged@example.org']]];
  const head = { id, form, output, requestId: id.replace(/-\d$/, ''), receivedAt, values, files: [] };
  const written = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(written.length);
  const clear = Buffer.concat([length, written]);
  return Buffer.concat([Buffer.of(1), createHash('sha256').update(clear).digest().subarray(0, 16), clear]);
}

const relabelled = ({ content }: Queued, kind: number) =>
  Buffer.concat([Buffer.of(kind), content.subarray(1)]);

describe.each(Object.entries(rewrittenPlaces).filter(([, { isHere }]) => isHere))('%s', (name) => {
  test('an entry of a newer relay is reported and left unchanged, while the rest is delivered', async () => {
    const { place, sink, recover, delivered } = await stage(name);
    await kept(place, sink, 2);
    let isFirst = true;
    const newer: string[] = [];
    await place.rewrite(
      (all) => all,
      (bytes) => {
        if (!isFirst) return bytes;
        isFirst = false;
        const later = bytes.replace('form-relay kept 1', 'form-relay kept 2');
        expect(later).not.toBe(bytes);
        newer.push(later);
        return later;
      },
    );
    recover();
    const relay = await start(configOf(place, sink), { ...place.env, KEEP_SECRET });
    await relay.get('/readyz');
    const reasons = () =>
      relay.logged.filter(({ event }) => event === 'keep_unavailable').map(({ reason }) => reason);
    const told = expect.stringContaining('update the relay');
    await expect.poll(delivered, patience).toEqual(['/own']);
    await expect.poll(reasons, patience).toContainEqual(told);
    // A delivery is removed from the queue after its receiver has accepted it.
    await expect.poll(() => place.stored(), patience).toEqual(newer);
    await relay.close();
    cleanups.pop();
    const owner = await start(configOf(place, sink), { ...place.env, KEEP_SECRET });
    // SQS shows it again after a while.
    if (name !== 'sqs')
      expect(await waiting(owner)).toMatchObject([{ kept: { why: { code: 'store_newer', words: told } } }]);
    expect(await place.stored()).toEqual(newer);
  });

  test('nothing that was altered is delivered or lost, and its owner is told', async () => {
    const { place, sink, recover, delivered } = await stage(name);
    const edits: readonly ((one: Queued, outputs: readonly Queued['output'][]) => Partial<Queued>)[] = [
      (_, [, declined]) => ({ output: declined as Queued['output'] }),
      (_, [, , open]) => ({ output: open as Queued['output'] }),
      ({ output }) => ({ output: { ...output, place: 2 } }),
      ({ output }) => ({ output: { ...output, of: 1 } }),
      ({ output }) => ({ output: { ...output, fingerprint: '0000000000000000' } }),
      ({ output }) => ({ output: { ...output, type: 'webhook' } }),
      (_, [, , open]) => ({ output: open as Queued['output'], assigned: 'A'.repeat(43) }),
      (_, [, , open]) => ({ output: open as Queued['output'], assigned: '' }),
      () => ({ form: 'jobs' }),
      () => ({ form: 'no-such-form' }),
      ({ id }) => ({ id: id.replace(/.-0$/, 'x-0') }),
      ({ receivedAt }) => ({ receivedAt: receivedAt + 1 }),
      (one) => ({ content: relabelled(one, 1) }),
      (one) => ({ content: relabelled(one, 3) }),
      (one) => ({ content: relabelled(one, 4) }),
      (one) => ({ content: inClear(one) }),
      (one, [, , open]) => ({
        output: open as Queued['output'],
        content: inClear({ ...one, output: open as Queued['output'] }),
      }),
    ];
    const outputs = await kept(place, sink, edits.length + 2);
    await place.rewrite((all) => {
      const altered = edits.map((edit, at) => ({
        ...(all[at] as Queued),
        ...edit(all[at] as Queued, outputs),
      }));
      const [one, other] = all.slice(edits.length) as [Queued, Queued];
      return [...altered, { ...one, content: other.content }, { ...other, content: one.content }];
    });
    recover();
    const relay = await start(configOf(place, sink), { ...place.env, KEEP_SECRET });
    await relay.get('/readyz');
    const isOver = () => turns(relay).length;
    await expect.poll(isOver, patience).toBe(edits.length + 2);
    expect(new Set(turns(relay).map(({ level, outcome, aside }) => `${level} ${outcome} ${aside}`))).toEqual(
      new Set(['error aside unreadable']),
    );
    expect(delivered()).toEqual([]);
    expect((await waiting(relay)).map(({ deadLetter }) => deadLetter)).toEqual(
      Array.from({ length: edits.length + 2 }, () => 'unreadable'),
    );
  });

  test('an unaltered entry is delivered to its own output', async () => {
    const { place, sink, recover, delivered } = await stage(name);
    await kept(place, sink, 1);
    await place.rewrite((all) => all);
    recover();
    const relay = await start(configOf(place, sink), { ...place.env, KEEP_SECRET });
    await relay.get('/readyz');
    await expect.poll(delivered, patience).toEqual(['/own']);
  });
});
