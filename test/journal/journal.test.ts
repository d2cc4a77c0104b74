/** The journal tells what became of each submission, and nothing of what was in it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHttpSink } from '../support/http_sink.ts';
import { createMemoryStore } from '../support/memory_store.ts';
import type { TestRelay } from '../support/relay.ts';
import { openNewsletter } from '../visitor_mails/newsletter.ts';
import { folder, linesIn, relayWith, slow, textIn } from './stage.ts';

const url = 'https://crm.example/';
const post = `{type: http_post, url: "${url}", mapping: "*"}`;
const answering = (status: () => number) => ({
  http: async () => ({ status: status(), headers: {}, body: '' }),
});
const taken = answering(() => 200);
const advert = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');

const eventually = (path: string, lines = 1) =>
  expect.poll(() => linesIn(path), { timeout: slow }).toHaveLength(lines);

test('a delivered submission has a line', async () => {
  const path = await folder();
  const sink = await startHttpSink();
  try {
    const outputs = `{type: http_post, url: "${sink.origin}/", mapping: "*"}`;
    const relay = await relayWith({ in: path, outputs });
    const answer = await relay.submit('contact', [['name', 'Ada']]);
    await eventually(path);
    expect(await linesIn(path)).toEqual([
      {
        kind: 'submission',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        id: answer.headers.get('x-request-id'),
        form: 'contact',
        result: 'delivered',
        ms: expect.any(Number),
        deliveries: [
          { output: 0, type: 'http_post', result: 'delivered', attempts: 1, ms: expect.any(Number) },
        ],
      },
    ]);
    const [name = ''] = await readdir(path);
    expect(name).toMatch(/^\d{4}-\d\d-\d\d-[\da-f]{12}\.jsonl$/);
    expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
  } finally {
    await sink.close();
  }
});

test('a kept delivery has a line for each later try', async () => {
  const path = await folder();
  let status = 503;
  const clock: { relay?: TestRelay } = {};
  const relay = await relayWith({
    in: path,
    top: 'keep: {in: /var/lib/form-relay}',
    keys: 'keep: failed',
    outputs: post,
    effects: {
      ...answering(() => status),
      random: () => 0,
      openStore: async () => createMemoryStore(() => clock.relay?.relay.services.now() ?? Date.now()),
    },
  });
  clock.relay = relay;
  const answer = await relay.submit('contact', [['name', 'Ada']]);
  await expect
    .poll(
      async () => {
        const lines = await linesIn(path);
        relay.advance(60_000);
        if (lines.length > 1) status = 200;
        return lines.at(-1);
      },
      { timeout: slow },
    )
    .toMatchObject({ kind: 'delivery', result: 'delivered' });
  const about = { id: answer.headers.get('x-request-id'), form: 'contact' };
  const [first, second, ...rest] = await linesIn(path);
  expect(first).toMatchObject({
    ...about,
    kind: 'submission',
    result: 'kept',
    deliveries: [{ output: 0, result: 'kept', reason: expect.stringContaining('503') }],
  });
  expect(second).toMatchObject({
    ...about,
    kind: 'delivery',
    output: 0,
    type: 'http_post',
    result: 'waiting',
    attempts: expect.any(Number),
    age_ms: expect.any(Number),
    reason: expect.stringContaining('503'),
  });
  expect(rest.at(-1)).toMatchObject({ ...about, result: 'delivered' });
}, 60_000);

test('a submission that waits for its confirmation says so, and then when it was confirmed', async () => {
  const path = await folder();
  const news = await openNewsletter({ forms: `\njournal: {in: "${path}"}` });
  const answer = await news.subscribe();
  await news.confirm();
  await eventually(path, 2);
  const about = { kind: 'submission', id: answer.headers.get('x-request-id'), form: 'news' };
  expect(await linesIn(path)).toMatchObject([
    { ...about, result: 'held' },
    { ...about, result: 'delivered', confirmed_at: expect.stringMatching(/Z$/) },
  ]);
});

const endings = [
  ['dropped', 'spam: {honeypot: website}', { website: 'x' }, { by: 'honeypot', reason: /decoy/ }],
  ['aside', 'spam: {doubt: {aside: 9}, signals: {links: 20}}', { text: advert }, {}],
] as const;

test.each(endings)('a submission that ends %s says so', async (result, keys, values, why) => {
  const path = await folder();
  const outputs = result === 'aside' ? post.replace('}', ', aside: also}') : post;
  const relay = await relayWith({ in: path, keys, outputs, effects: taken });
  await relay.submit('contact', Object.entries(values));
  await eventually(path);
  const [line] = await linesIn(path);
  expect(line).toMatchObject({
    result,
    ...('by' in why && { by: why.by, reason: expect.stringMatching(why.reason) }),
    ...(result === 'aside' && {
      doubt: { score: expect.any(Number), action: 'aside', signals: { links: 20 } },
    }),
  });
});

test('no value that was submitted is in it', async () => {
  const path = await folder();
  const status = [200, 403, 200, 200];
  const relay = await relayWith({
    in: path,
    keys: 'spam: {honeypot: website, doubt: {tag: 5}, signals: {links: 20}}',
    outputs: post,
    effects: answering(() => status.shift() ?? 200),
  });
  const sent: string[] = [];
  const value = (name: string) => {
    const text = `${name}-${Math.random().toString(36).slice(2)}`;
    sent.push(text);
    return text;
  };
  const form = () => {
    const body = new FormData();
    body.set('name', value('ada'));
    body.set('text', `${value('text')} ${advert}`);
    body.set(value('unknown'), value('more'));
    body.set('cv', new File([value('content')], `${value('file')}.exe`, { type: 'application/pdf' }));
    return body;
  };
  const send = (body: FormData | string, headers = {}) =>
    relay.request('/api/v1/submit/contact', { method: 'POST', body, headers });
  await send(form());
  await send(form());
  const dropped = form();
  dropped.set('website', value('decoy'));
  await send(dropped);
  await relay.submit('contact', `name=${value('ada')}&${value('key')}=%ff`);
  await send(`{"${value('json')}": `, { 'content-type': value('type') });
  await relay.submit(value('form'), [['name', value('ada')]]);
  await relay.relay.flush();
  const text = await textIn(path);
  expect(text.split('\n').length).toBeGreaterThan(3);
  expect([...sent, 'shop-1'].filter((one) => text.includes(one))).toEqual([]);
});

test('floods of refusals are left to the log', async () => {
  const path = await folder();
  const relay = await relayWith({
    in: path,
    keys: 'origins: [https://a.example]\n    rate_limit: 1 per 10m',
    outputs: post,
    effects: taken,
  });
  const send = (origin: string) => relay.submit('contact', [['name', 'Ada']], { origin });
  const answers = [await send('https://b.example'), await send('https://a.example')];
  for (let more = 0; more < 5; more += 1) answers.push(await send('https://a.example'));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 200, 429]));
  await relay.relay.flush();
  expect((await linesIn(path)).map((line) => 'result' in line && line.result)).toEqual(['delivered']);
});
