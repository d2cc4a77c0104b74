/** What is kept, in the studio: its story goes on, and its clock can be pushed on. */
import { describe, expect, test } from 'vitest';
import { aheadInWords } from '../../packages/studio/app/arrived/ahead.ts';
import { startHttpSink } from '../support/http_sink.ts';
import { type Events, type Stage, stage, stateAt, storyOf } from './stage.ts';

const config = `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    keep: failed
    fields: [{name: email}]
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*"}
      - {type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}
  plain:
    fields: [{name: email}]
    outputs: [{type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}]
`;

const send = (at: Stage, path = '/api/v1/submit/contact') => at.post(path, { email: 'a@b.example' });
const fail = (at: Stage, fault: string, output = '0') =>
  at.post('/studio/fault', { form: 'contact', output, fault });
const pushOn = (at: Stage, ms: number | string) => at.post('/studio/clock', { ms: String(ms) });
const next = async (events: Events) => storyOf(await events.next('story'));
const aheadMs = async (at: Stage) => (await stateAt(at)).aheadMs;
const minute = 60_000;
const day = 1_440 * minute;

async function keptOne(change = (text: string) => text): Promise<{ at: Stage; events: Events }> {
  const at = await stage({ config: change(config) });
  const events = await at.events();
  await events.next('hello');
  await fail(at, 'refused');
  expect((await send(at)).status).toBe(200);
  return { at, events };
}

describe('the story of what is kept', () => {
  test('goes on in its place when the clock is pushed on, with each try at its time', async () => {
    const { at, events } = await keptOne();
    const first = await next(events);
    expect((await pushOn(at, 60 * minute)).status).toBe(204);
    // All that was tried on the way is told at once.
    const sequel = await next(events);
    expect(sequel.number).toBe(first.number);
    expect(sequel.version).toBeGreaterThan(first.version);
    const ages = ['At once', 'After 1 min', 'After 5 min', 'After 15 min', 'After 1 h'];
    expect(sequel.kept[0]?.tries).toEqual(ages.map((when) => ({ when, says: 'connect ECONNREFUSED' })));
    expect(aheadInWords(await aheadMs(at))).toBe('1 h');

    await fail(at, '');
    await pushOn(at, day);
    const delivered = await next(events);
    expect(delivered.ending).toMatchObject({ word: 'Delivered', tone: 'ok' });
    expect(delivered.kept[0]?.tries.at(-1)).toEqual({ when: 'After 3 h', says: 'delivered' });
    expect([delivered.kept[0]?.next, delivered.kept[0]?.retry]).toEqual([undefined, undefined]);
    expect(events.all.filter(({ type }) => type === 'story')).toHaveLength(3);
  });

  test('what waits for its owner is tried at once when they say so', async () => {
    const { at, events } = await keptOne((text) => text.replace('form-relay}', 'form-relay, for: 1m}'));
    await events.next('story');
    await pushOn(at, minute);
    const { ending, kept } = await next(events);
    expect(ending).toMatchObject({ word: 'Waits for you', tone: 'bad' });
    const { retry: id = '' } = kept[0] ?? {};
    expect(id).not.toBe('');
    await fail(at, '');
    for (const wrong of ['', 'x', '-0', `${id}0`]) {
      expect((await at.post('/studio/retry', { id: wrong })).status).toBe(204);
    }
    expect((await at.post('/studio/retry', { id })).status).toBe(204);
    expect((await next(events)).ending.word).toBe('Delivered');
  });

  test('what is always kept is delivered after the answer', async () => {
    const at = await stage({ config: config.replace('keep: failed', 'keep: always') });
    const events = await at.events();
    await send(at);
    const { ending, kept, story } = await next(events);
    expect([ending.word, story.says]).toEqual(['Kept', 'for 2 of 2 outputs']);
    expect(kept[0]).toMatchObject({ tries: [], next: 'Tried after the answer.' });
    await events.next('story');
    expect((await next(events)).ending.word).toBe('Delivered');
  });
});

test('outputs that deliver for real have it when they take it', async () => {
  let status = 503;
  const sink = await startHttpSink({ answer: () => ({ status }) });
  const at = await stage({
    config: config.replaceAll('https://crm.example.com', sink.origin).replaceAll('"*"}', '"*", retries: 0}'),
    isDelivering: true,
    effects: { env: () => undefined },
  });
  const events = await at.events();
  await fail(at, 'refused', '1');
  await send(at);
  expect(sink.requests).toHaveLength(1);
  expect((await next(events)).ending.word).toBe('Kept');
  status = 200;
  await pushOn(at, minute);
  expect(sink.requests).toHaveLength(2);
  const keys = sink.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toBe(keys[1]);
  await sink.close();
});

describe('the clock', () => {
  test.each(['', '0', '-1', 'x', 'NaN', 'Infinity', '1e12', '99999999999'])(
    'is not pushed on by "%s"',
    async (ms) => {
      const at = await stage({ config });
      expect((await pushOn(at, ms)).status).toBe(404);
      expect(await aheadMs(at)).toBe(0);
    },
  );

  test.each(['/studio/clock', '/studio/retry'])('%s is for the studio’s own page', async (path) => {
    const at = await stage({ config });
    const answer = await at.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost:3000' },
      body: 'ms=60000&id=x',
    });
    expect(answer.status).toBe(403);
  });
});
