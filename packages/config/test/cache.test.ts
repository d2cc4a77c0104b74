import { err, ok } from '../../base/src/result.ts';
import { createConfigCache } from './config_cache.ts';

const good = 'forms: {a: {fields: [], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';
const broken = 'forms: [';
const readSibling = async () => err('the file does not exist');

test('the log names the config, its mistakes, and the config in use', async () => {
  const logged: unknown[] = [];
  const texts = [broken, good, new Error('gone'), broken];
  let time = 0;
  const cache = createConfigCache(
    { name: 'webform.yaml', read: async () => reading(texts.shift()), readSibling },
    { now: () => (time += 60_000), log: (level, event, fields) => logged.push({ level, event, ...fields }) },
  );
  const states = [cache.state];
  while (texts.length > 0) {
    await cache.get();
    states.push(cache.state);
  }
  expect(states).toEqual(['never_loaded', 'never_loaded', 'fresh', 'refresh_failed', 'refresh_failed']);
  const config = 'webform.yaml';
  const problems = [expect.stringContaining('webform.yaml:1:')];
  expect(logged).toEqual([
    { level: 'error', event: 'config_invalid', config, problems, serving: 'nothing' },
    { level: 'info', event: 'config_loaded', config, forms: 1 },
    { level: 'error', event: 'config_unavailable', config, reason: 'gone', serving: 'the last good config' },
    { level: 'error', event: 'config_invalid', config, problems, serving: 'the last good config' },
  ]);
});

test('outputs without a provided type are logged, with their config', async () => {
  const logged: object[] = [];
  const output = (type: string) => `{type: ${type}, url: "https://a.example/", mapping: "*"}`;
  const text = `forms: {contact: {fields: [{name: name}], outputs: [${['http_post', 'airtable', '"a: b"'].map(output)}]}}`;
  const cache = createConfigCache(
    { name: 'webform.yaml', read: async () => reading(text), readSibling: async () => err('none') },
    { now: () => 0, log: (level, event, fields) => logged.push({ level, event, ...fields }) },
  );
  await cache.get();
  await cache.get();
  expect(logged).toEqual([
    expect.objectContaining({ event: 'config_loaded' }),
    {
      level: 'warn',
      event: 'output_types_unknown',
      config: 'webform.yaml',
      outputs: ['forms.contact.outputs[1]: airtable', 'forms.contact.outputs[2]: …'],
    },
  ]);
});

const reading = (text: string | Error = '') => (text instanceof Error ? err(text.message) : ok(text));

test('in a process that freezes, each request waits for the load for a moment, and the first until it ends', async () => {
  const texts = [good, `${good}\n# changed`];
  const ends: (() => void)[] = [];
  const read = async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return reading(texts.shift());
  };
  const cache = createConfigCache(
    { name: 'webform.yaml', read, readSibling },
    { now: () => performance.now(), log: () => {} },
    { ttlMs: 0, patienceMs: 30, freezes: true },
  );
  let isThere = false;
  const start = Promise.resolve(cache.get()).then(() => {
    isThere = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(isThere).toBe(false);
  ends[0]?.();
  await start;

  const first = cache.current;
  for (let request = 0; request < 3; request += 1) {
    const started = performance.now();
    expect(await cache.get()).toBe(first);
    expect(performance.now() - started).toBeGreaterThan(25);
  }
  // All requests waited for the same load.
  expect(ends).toHaveLength(2);
  const waiting = cache.get();
  ends[1]?.();
  expect(await waiting).not.toBe(first);
});

test.each([
  ['begins otherwise', (list: string) => list.replace('casino', 'cosina')],
  ['ends otherwise', (list: string) => list.replace('poker', 'pokes')],
  ['is longer by a word', (list: string) => `${list}roulette\n`],
])('a long list next to the config counts as changed when it %s, and only then', async (_, change) => {
  // Too long to be kept for comparison.
  let list = `casino\n${'# A comment.\n'.repeat(30_000)}poker\n`;
  const text = `forms: {a: {fields: [{name: b}], spam: {doubt: observe, signals: {blocklist: {words: words.txt}}}, outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`;
  const events: string[] = [];
  let time = 0;
  const cache = createConfigCache(
    { name: 'webform.yaml', read: async () => ok(text), readSibling: async () => ok(list) },
    { now: () => (time += 60_000), log: (_, event) => void events.push(event) },
    { patienceMs: 60_000 },
  );
  const [first, same] = [await cache.get(), await cache.get()];
  expect(same).toBe(first);
  list = change(list);
  expect(await cache.get()).not.toBe(first);
  expect(events).toEqual(['config_loaded', 'config_loaded']);
});

/** A cache whose source returns these results in turn. The test decides when the config expires. */
function watched(...texts: (string | Error | (() => never))[]) {
  const logged: unknown[] = [];
  const onLoad = vi.fn();
  let time = 0;
  const read = async () => {
    const next = texts.shift();
    return typeof next === 'function' ? next() : reading(next);
  };
  const cache = createConfigCache(
    { name: 'webform.yaml', read, readSibling },
    { now: () => time, log: (level, event, fields) => void logged.push({ level, event, ...fields }) },
    { onLoad, patienceMs: 60_000 },
  );
  const next = async () => {
    time += 60_000;
    return cache.get();
  };
  return { cache, next, logged, onLoad };
}

test('a source that throws counts as a failed load, and the log has the stack', async () => {
  const { cache, next, logged } = watched(good, () => {
    throw new Error('a token');
  });
  const first = await next();
  expect(await next()).toBe(first);
  expect(cache.state).toBe('refresh_failed');
  expect(cache.loads).toMatchObject({ changed: 1, unavailable: 1 });
  expect(logged.at(-1)).toMatchObject({
    level: 'error',
    event: 'config_unavailable',
    reason: 'internal error',
    stack: expect.arrayContaining([expect.stringContaining('cache.test.ts')]),
  });
  expect(JSON.stringify(logged)).not.toContain('a token');
});

test('an explicit request reloads the config once, however fresh it is', async () => {
  const { cache, next } = watched(good, good, good);
  await next();
  await cache.get();
  expect(cache.loads).toMatchObject({ changed: 1, unchanged: 0 });
  cache.reload();
  await expect.poll(() => cache.loads.unchanged).toBe(1);
  await cache.get();
  expect(cache.loads).toMatchObject({ changed: 1, unchanged: 1 });
});

test('a first load that hung fails once, not again for the next request', async () => {
  let time = 0;
  let reads = 0;
  const read = async () => {
    reads += 1;
    time += reads === 1 ? 8_000 : 10;
    return err('no complete response within 8000 ms');
  };
  const cache = createConfigCache({ name: 's3', read, readSibling }, { now: () => time, log: () => {} });
  await cache.get();
  time += 20;
  expect([await cache.get(), await cache.get(), reads]).toEqual([undefined, undefined, 1]);
  // Later requests try again, each of them if loads fail quickly.
  time += 1_000;
  await cache.get();
  await cache.get();
  expect(reads).toBe(3);
});
