/** A running relay's metrics about its submissions. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpSink, startRelay, type TestRelayOptions, tempFolder } from '../../../test/support/index.ts';
import { createMetrics } from '../src/metrics/index.ts';
import { counted, samplesIn } from './scraped.ts';

async function measured(options: TestRelayOptions) {
  const metrics = createMetrics();
  const relay = await startRelay({ ...options, metrics });
  // Makes a mistake in a test's config fail at once.
  if (options.config !== undefined)
    expect([await relay.relay.config.get(), relay.logged]).not.toContain(undefined);
  onTestFinished(async () => {
    await relay.close();
    metrics.close();
  });
  return { metrics, relay };
}

test('submissions, deliveries and attempts are counted by form, output and result', async () => {
  const taking = await httpSink();
  const failing = await httpSink({ answer: () => ({ status: 503 }) });
  const { metrics, relay } = await measured({
    config: `
forms:
  contact:
    fields: [{name: name, required: true}]
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "${taking.origin}", mapping: "*"}
      - {type: http_post, url: "${failing.origin}", mapping: "*", retries: 2, on_error: continue}
      - {type: webhook, url: "${taking.origin}", when: {field: name, is: Bob}}
  broken:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${failing.origin}", mapping: "*", retries: 0}]
`,
  });
  await relay.submit('contact', [['name', 'Ada']]);
  await relay.submit('contact', [['name', 'Bob']]);
  await relay.submit('contact', [['name', '']]);
  await relay.submit('contact', 'name=Eve&website=x');
  await relay.submit('broken', [['name', 'Ada']]);
  const now = metrics.text();
  expect(counted(now, 'submissions_total')).toEqual({
    'submissions_total{form="contact",outcome="delivered"}': 2,
    'submissions_total{form="contact",outcome="invalid"}': 1,
    'submissions_total{form="contact",outcome="dropped"}': 1,
    'submissions_total{form="broken",outcome="undelivered"}': 1,
  });
  expect(counted(now, 'deliveries_total')).toEqual({
    'deliveries_total{form="contact",output="0",type="http_post",outcome="delivered"}': 2,
    'deliveries_total{form="contact",output="1",type="http_post",outcome="failed"}': 2,
    'deliveries_total{form="contact",output="2",type="webhook",outcome="delivered"}': 1,
    'deliveries_total{form="contact",output="2",type="webhook",outcome="skipped"}': 1,
    'deliveries_total{form="broken",output="0",type="http_post",outcome="failed"}': 1,
  });
  expect(counted(now, 'delivery_tries_total')).toEqual({
    'delivery_tries_total{form="contact",output="0",type="http_post"}': 2,
    'delivery_tries_total{form="contact",output="1",type="http_post"}': 6,
    'delivery_tries_total{form="contact",output="2",type="webhook"}': 1,
    'delivery_tries_total{form="broken",output="0",type="http_post"}': 1,
  });
  expect(counted(now, 'checks_ended_total')).toEqual({
    'checks_ended_total{form="contact",check="validation",code="invalid"}': 1,
    'checks_ended_total{form="contact",check="honeypot",code="decoy_filled"}': 1,
  });
  expect(counted(now, 'responses_total')).toEqual({
    'responses_total{route="submit",status="200"}': 3,
    'responses_total{route="submit",status="422"}': 1,
    'responses_total{route="submit",status="500"}': 1,
  });
  expect(counted(now, 'submission_duration_seconds_count')).toEqual({
    'submission_duration_seconds_count{form="contact"}': 4,
    'submission_duration_seconds_count{form="broken"}': 1,
  });
  // Two waits of at least a second between three attempts, twice.
  const name = 'delivery_duration_seconds_sum{form="contact",output="1",type="http_post"}';
  expect(counted(now, 'delivery_duration_seconds_sum')[name]).toBeGreaterThan(2);
});

test('10,000 invented form names count as one form', async () => {
  const { metrics, relay } = await measured({
    config:
      'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}',
  });
  await relay.submit('made-up', [['name', 'x']]);
  await relay.get('/made-up');
  const before = samplesIn(metrics.text()).size;
  const handle = (path: string) =>
    relay.relay.handle({
      method: 'POST',
      path,
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'localhost' },
      body: Buffer.from('name=x'),
    } as Parameters<typeof relay.relay.handle>[0]);
  for (let at = 0; at < 5_000; at += 1) {
    await handle(`/api/v1/submit/made-up-${at}`);
    await handle(`/made-up-${at}`);
  }
  const now = metrics.text();
  expect(samplesIn(now).size).toBe(before);
  expect(counted(now, 'submissions_total')).toEqual({
    'submissions_total{form="(unknown)",outcome="unknown_form"}': 5_001,
  });
});

test('series of removed forms and outputs disappear, and the others continue', async () => {
  const { port } = await httpSink();
  const path = join(tempFolder(), 'webform.yaml');
  const write = (extra: string) =>
    writeFileSync(
      path,
      `forms:
  stays:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "http://127.0.0.1:${port}/", mapping: "*"}]
${extra}`,
    );
  const form = (name: string, types: readonly string[]) =>
    `  ${name}: {fields: [{name: name}], outputs: [${types.map((type) => `{type: ${type}, url: "http://127.0.0.1:${port}/"${type === 'http_post' ? ', mapping: "*"' : ''}}`).join(', ')}]}\n`;
  write(form('form-0', ['http_post', 'webhook']));
  const { metrics, relay } = await measured({ env: { CONFIG_FILE: path, CACHE_TTL: '10s' } });
  const sizes: number[] = [];
  for (let at = 0; at < 20; at += 1) {
    write(form(`form-${at}`, ['http_post', 'webhook']));
    relay.advance(11_000);
    // Requests that waited too long for the config used the previous one.
    await expect.poll(async () => (await relay.relay.config.get())?.forms.has(`form-${at}`)).toBe(true);
    await relay.submit(`form-${at}`, [['name', 'x']]);
    await relay.submit('stays', [['name', 'x']]);
    // On a slow machine, there may be other samples, such as of a load that took too long.
    const ofForms = [...samplesIn(metrics.text()).keys()].filter((name) => name.includes('form='));
    sizes.push(ofForms.length);
  }
  expect(new Set(sizes)).toEqual(new Set([sizes[0]]));
  const now = metrics.text();
  expect(counted(now, 'submissions_total')).toEqual({
    'submissions_total{form="stays",outcome="delivered"}': 20,
    'submissions_total{form="form-19",outcome="delivered"}': 1,
  });
  write(form('form-19', ['webhook']));
  relay.advance(11_000);
  await expect
    .poll(async () => (await relay.relay.config.get())?.forms.get('form-19')?.outputs.length)
    .toBe(1);
  expect(counted(metrics.text(), 'delivery_tries_total')).toEqual({
    'delivery_tries_total{form="stays",output="0",type="http_post"}': 20,
  });
});

test('nothing that a visitor sends, and no secret, is in the metrics', async () => {
  const failing = await httpSink({ answer: () => ({ status: 500, body: 'visitor-text' }) });
  const { metrics, relay } = await measured({
    env: { HOOK_SECRET: 'hook-secret', FORM_TOKEN_SECRET: 'token-secret', KEEP_SECRET: 'keep-secret' },
    config: `
keep: {in: ${tempFolder()}}
forms:
  contact:
    keep: failed
    fields: [{name: name}, {name: email, type: email}]
    spam: {doubt: tag, signals: {links: 4}}
    outputs:
      - {type: http_post, url: '${failing.origin}/url-path', headers: {X-Key: '{{ env "HOOK_SECRET" }}'}, mapping: "*"}
`,
  });
  await relay.submit(
    'contact',
    [
      ['name', 'visitor-text https://visitor-text.example/a https://visitor-text.example/b'],
      ['email', 'visitor-text@example.org'],
      ['visitor-text', 'visitor-text'],
    ],
    {
      'user-agent': 'visitor-text',
      referer: 'https://visitor-text.example/',
      'x-request-id': 'visitor-text',
    },
  );
  await relay.submit('visitor-text', [['name', 'visitor-text']]);
  await relay.get('/visitor-text?visitor-text');
  await relay.request('/api/v1/form/visitor-text', { method: 'DELETE' });
  const text = metrics.text();
  expect(text).toContain('outcome="kept"');
  expect(text).toContain('action="tag"');
  expect(text).not.toMatch(/visitor-text|-secret|url-path|127\.0\.0\.1|metrics-/);
});

test('the gauge of queued deliveries has the relay’s last reading, and the results of retries are counted', async () => {
  let isDown = true;
  const crm = await httpSink({ answer: () => ({ status: isDown ? 503 : 200 }) });
  let tick = () => {};
  const { metrics, relay } = await measured({
    effects: {
      repeat: (_ms, work) => {
        tick = work;
        return () => {};
      },
    },
    config: `
keep: {in: ${tempFolder()}}
forms: {contact: {keep: failed, fields: [{name: name}], outputs: [{type: http_post, url: "${crm.origin}", mapping: "*", retries: 0}]}}`,
  });
  await relay.submit('contact', [['name', 'Ada']]);
  const output = 'form="contact",output="0",type="http_post"';
  expect(counted(metrics.text(), 'submissions_total')).toEqual({
    'submissions_total{form="contact",outcome="kept"}': 1,
  });
  expect(counted(metrics.text(), 'deliveries_total')).toEqual({
    [`deliveries_total{${output},outcome="kept"}`]: 1,
  });
  relay.advance(5_000);
  await expect
    .poll(() => {
      tick();
      return counted(metrics.text(), 'kept_deliveries');
    })
    .toEqual({ 'kept_deliveries{store="folder",form="contact",state="due"}': 1 });
  const name = 'kept_oldest_age_seconds{store="folder",form="contact"}';
  expect(counted(metrics.text(), 'kept_oldest')[name]).toBeGreaterThanOrEqual(5);
  isDown = false;
  await expect
    .poll(() => {
      relay.advance(600_000);
      tick();
      return counted(metrics.text(), 'kept_turns_total')[`kept_turns_total{${output},outcome="delivered"}`];
    })
    .toBe(1);
  expect(counted(metrics.text(), 'delivery_tries_total')).toEqual({
    [`delivery_tries_total{${output}}`]: crm.requests.length,
  });
  expect(counted(metrics.text(), 'delivery_duration_seconds_count')).toEqual({
    [`delivery_duration_seconds_count{${output}}`]: 2,
  });
  await expect
    .poll(() => {
      relay.advance(600_000);
      tick();
      return counted(metrics.text(), 'kept_deliveries');
    })
    .toEqual({});
});

test('config loads are counted when they end, and the config’s age starts at the last successful load', async () => {
  const path = join(tempFolder(), 'webform.yaml');
  const good =
    'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';
  const { metrics, relay } = await measured({ env: { CONFIG_FILE: path, CACHE_TTL: '10s' } });
  const loads = () =>
    Object.values(counted(metrics.text(), 'config_loads_total')).reduce((sum, one) => sum + one, 0);
  // A request may get its response before a load ends.
  const load = async () => {
    const before = loads();
    relay.advance(20_000);
    await relay.get('/readyz');
    await expect.poll(loads).toBe(before + 1);
  };
  await load();
  expect(counted(metrics.text(), 'config')).toEqual({
    'config_loads_total{outcome="unavailable"}': 1,
    config_failing: 1,
  });
  writeFileSync(path, good);
  await load();
  await load();
  expect(counted(metrics.text(), 'config_loads_total')).toEqual({
    'config_loads_total{outcome="unavailable"}': 1,
    'config_loads_total{outcome="changed"}': 1,
    'config_loads_total{outcome="unchanged"}': 1,
  });
  expect(counted(metrics.text(), 'config_f')).toEqual({ config_forms: 1 });
  writeFileSync(path, 'forms: 7');
  await load();
  const now = counted(metrics.text(), 'config');
  expect(now).toMatchObject({
    'config_loads_total{outcome="invalid"}': 1,
    config_failing: 1,
    config_forms: 1,
  });
  expect(now.config_age_seconds).toBeGreaterThanOrEqual(20);
});

test('a blocked event loop is visible', async () => {
  const metrics = createMetrics();
  onTestFinished(() => metrics.close());
  const slow = (bound: string) => {
    const all = samplesIn(metrics.text());
    const of = (le: string) => all.get(`form_relay_event_loop_delay_seconds_bucket{le="${le}"}`) ?? 0;
    return of('+Inf') - of(bound);
  };
  await expect
    .poll(() => samplesIn(metrics.text()).get('form_relay_event_loop_delay_seconds_count'))
    .toBeGreaterThan(0);
  const before = slow('0.25');
  await expect
    .poll(
      () => {
        const until = performance.now() + 400;
        while (performance.now() < until);
        return slow('0.25');
      },
      { interval: 50 },
    )
    .toBeGreaterThan(before);
});
