import { relayWith } from '../support/index.ts';

const config = `forms: {contact: {fields: [{name: name}],
  outputs: [{type: http_post, url: "http://127.0.0.1:9/", on_error: continue}]}}`;

/** A relay whose clock only the test advances. */
async function throttled(rate?: string, burst?: string) {
  const clock = { ms: Date.UTC(2030, 0, 1) };
  const relay = await relayWith({
    config,
    env: { THROTTLE_RATE_LIMIT: rate, THROTTLE_BURST_LIMIT: burst },
    effects: { now: () => clock.ms },
  });
  const get = () => relay.get('/api/v1/token/contact');
  /** How many of `count` requests pass. */
  const passing = async (count: number) => {
    let passed = 0;
    for (let n = 0; n < count; n += 1) if ((await get()).status === 200) passed += 1;
    return passed;
  };
  return { relay, clock, get, passing };
}

test('lets 20 requests through at once, then 10 a second, by default', async () => {
  const { clock, passing } = await throttled();
  expect(await passing(30)).toBe(20);
  clock.ms += 1000;
  expect(await passing(30)).toBe(10);
  clock.ms += 100;
  expect(await passing(5)).toBe(1);
});

test.each([
  ['5', '3', 1000, 3],
  ['5', '3', 200, 1],
  ['5', '3', 199, 0],
  ['0.5', '1', 1999, 0],
  ['0.5', '1', 2000, 1],
  ['100', '1', 10, 1],
  ['3', '10', 1000, 3],
])('%s per second, burst %s: after %i ms, %i more pass', async (rate, burst, ms, passes) => {
  const { clock, passing } = await throttled(rate, burst);
  expect(await passing(15)).toBe(Number(burst));
  clock.ms += ms;
  expect(await passing(15)).toBe(passes);
});

test('tells the owner once a second that visitors are rejected', async () => {
  const { relay, clock, passing } = await throttled('1', '1');
  const lines = () =>
    relay.logged.flatMap(({ event, requests }) => (event === 'throttled' ? [requests] : []));
  await passing(4);
  expect(lines()).toEqual([1]);
  expect(relay.logged.find(({ event }) => event === 'throttled')).toMatchObject({
    level: 'warn',
    request_id: expect.any(String),
  });
  clock.ms += 1000;
  await passing(2);
  expect(lines()).toEqual([1, 3]);
});

test('works when the clock is set back', async () => {
  const { clock, passing } = await throttled('1', '1');
  expect(await passing(1)).toBe(1);
  clock.ms -= 3_600_000;
  expect(await passing(1)).toBe(0);
  clock.ms += 1000;
  expect(await passing(1)).toBe(1);
});

test('is shared by the whole API: every path and method counts', async () => {
  const { relay, get } = await throttled('1', '7');
  await relay.submit('contact', [['name', 'Ann']]);
  await relay.get('/api/v1/form/contact');
  await relay.get('/api/v1/token/contact');
  await relay.get('/nosuch');
  // Requests that only look like preflights, or like requests for assets, are not exempt either.
  await relay.request('/nosuch', { method: 'OPTIONS' });
  await relay.get('/api/v1/form.nosuch');
  await relay.get('/x/api/v1/form.css');
  expect((await get()).status).toBe(429);
});

test('exempts preflights: without them, pages of another origin could not read a 429', async () => {
  const { relay, get } = await throttled('1', '1');
  const preflight = () => relay.request('/api/v1/submit/contact', { method: 'OPTIONS' });
  expect((await preflight()).status).toBe(204);
  expect((await get()).status).toBe(200);
  expect((await get()).status).toBe(429);
  expect((await preflight()).status).toBe(204);
});

test.each(['/healthz', '/readyz'])('%s is exempt: it neither waits nor counts', async (path) => {
  const { relay, passing } = await throttled('1', '2');
  for (let n = 0; n < 5; n += 1) expect((await relay.get(path)).status).toBe(200);
  expect(await passing(5)).toBe(2);
  expect((await relay.get(path)).status).toBe(200);
});
