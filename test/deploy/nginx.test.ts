import { readFileSync } from 'node:fs';
import { form, post } from '../support/config.ts';
import { startHttpSink, startRelay, type TestRelay } from '../support/index.ts';
import { hasNginx, type NginxRequest, startNginx } from '../support/nginx.ts';

if (!hasNginx)
  console.warn('SKIPPED: deploy/nginx/form-relay.conf is not tested, because there is no nginx.');

const formUrl = new URL('../../deploy/nginx/form-relay.conf', import.meta.url);

/** Throws if the config no longer contains what a test replaces. */
function replace(conf: string, from: string, to: string): string {
  expect(conf).toContain(from);
  return conf.replace(from, to);
}

/** nginx with deploy/nginx/form-relay.conf. The refill is too slow to matter in a test. */
const startNginxBefore = (relays: readonly TestRelay[]) =>
  startNginx((socketPath) => {
    let conf = replace(readFileSync(formUrl, 'utf8'), 'listen 80;', `listen unix:${socketPath};`);
    conf = replace(conf, 'rate=10r/s', 'rate=1r/m');
    for (const [i, { origin }] of relays.entries())
      conf = replace(conf, `127.0.0.1:808${i + 1}`, new URL(origin).host);
    // The default site of nginx's packages.
    return `${conf}\nserver { listen unix:${socketPath} default_server; location / { return 404; } }`;
  });

const submission = (body: string): NginxRequest => ({
  path: '/api/v1/submit/contact',
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
});

describe.skipIf(!hasNginx)('two relays behind nginx', () => {
  let sink: Awaited<ReturnType<typeof startHttpSink>>;
  let relays: readonly TestRelay[];
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  const config = () => form({ outputs: [post(sink.origin)] });

  beforeAll(async () => {
    sink = await startHttpSink();
    // The relay's default throttle.
    const env = { THROTTLE_RATE_LIMIT: '', THROTTLE_BURST_LIMIT: '' };
    relays = [await startRelay({ config: config(), env }), await startRelay({ config: config(), env })];
    nginx = await startNginxBefore(relays);
  });
  afterAll(async () => {
    await nginx?.stop();
    await Promise.all([sink, ...relays].map((server) => server.close()));
  });

  test('a body that is too long is answered by the relay', async () => {
    const answer = await nginx.ask(submission(`name=${'x'.repeat(70_000)}`));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { error: expect.any(String) }]);
  });

  test('share one burst of 20, of which one is used', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => nginx.ask(submission(`name=${n}`))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(11);
    expect(sink.requests).toHaveLength(19);
    for (const { logged } of relays) expect(logged.map(({ event }) => event)).toContain('submission');
  });

  test('health checks are not throttled', async () => {
    expect((await nginx.ask({ path: '/healthz' })).status).toBe(200);
    expect((await nginx.ask({ path: '/readyz' })).status).toBe(200);
  });

  const promised = [
    ...['access-control-allow-origin', 'cache-control', 'content-type', 'hx-reswap', 'hx-retarget'],
    ...['retry-after', 'vary'],
  ];

  test.each([
    ['a program', {}],
    ['a page of another origin', { origin: 'https://www.example.com' }],
    ['htmx, into a place of its own', { 'hx-request': 'true', 'hx-target': 'result' }],
    ['htmx 2, into the form', { 'hx-request': 'true', 'hx-target': 'form-contact' }],
    ['htmx 4, into the form', { 'hx-request': 'true', 'hx-target': 'form#form-contact' }],
  ])('nginx refuses as the relay does: %s', async (_, headers) => {
    const throttled = await startRelay({
      config: config(),
      env: { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' },
    });
    const send = () => throttled.submit('contact', 'name=Ada', headers);
    await send();
    const own = await send();
    await throttled.close();

    const request = submission('name=Ada');
    const refusal = await nginx.ask({ ...request, headers: { ...request.headers, ...headers } });

    expect(own.status).toBe(429);
    expect(refusal.status).toBe(429);
    expect(refusal.body.trim()).toBe(own.text.trim());
    for (const name of promised)
      expect([name, refusal.headers[name]]).toEqual([name, own.headers.get(name) ?? undefined]);
  });
});
