import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHttpSink, startRelay, startSmtpSink, untilEnd } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';

const minute = 60_000;

/** A relay whose timers the test triggers, and whose clock stands still between steps. */
async function startCanaries(config: object, env: Record<string, string> = {}) {
  const ticks = new Set<() => void>();
  let at = Date.parse('2030-01-15T12:20:00Z');
  const started = await startRelay({
    config: JSON.stringify({ cache_ttl: '1000h', ...config }),
    env,
    effects: {
      now: () => at,
      env: (name) => env[name],
      random: () => 0,
      repeat: (_, work) => {
        ticks.add(work);
        return () => ticks.delete(work);
      },
    },
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await started.close();
    isClosed = true;
  };
  onTestFinished(close);
  const tested = () => started.logged.filter(({ event }) => /^canary_(passed|failed|paused)$/.test(event));
  /** The forms' results in the next interval, once all are tested. */
  const interval = async (forms = 1) => {
    const before = tested().length;
    at += minute;
    await vi.waitFor(
      () => {
        for (const tick of ticks) tick();
        expect(tested().length).toBe(before + forms);
      },
      { interval: 2 },
    );
    return tested().slice(before);
  };
  await started.get('/readyz');
  const pass = (ms: number) => {
    at += ms;
  };
  return { ...started, close, interval, pass, ticks, tested };
}

const fields = [
  { name: 'name', required: true },
  { name: 'email', type: 'email', required: true },
  { name: 'topic', type: 'select', options: ['sales', 'support'], required: true },
];
const canary = { every: '1m' };

/** A server that accepts alerts, and responds to requests to its other paths as the test says. */
async function startOutside() {
  const answers = new Map<
    string,
    () => { status?: number; headers?: Record<string, string>; body?: string }
  >();
  const sink = await untilEnd(startHttpSink({ answer: ({ url }) => answers.get(url)?.() ?? {} }));
  const at = (path: string) => sink.requests.filter(({ url }) => url === path);
  const alerts = () => at('/alert').map(({ body }) => JSON.parse(body) as Record<string, string>);
  return {
    ...sink,
    answers,
    at,
    alerts,
    config: { alerts: { outputs: [{ type: 'webhook', url: `${sink.origin}/alert` }] } },
  };
}

test('each broken link of the chain causes one alert within an interval, and another one when it is repaired', async () => {
  const disk = mkdtempSync(join(tmpdir(), 'canary-'));
  const isMounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'tmpfs', disk]).status === 0;
  if (isMounted) onTestFinished(() => void execFileSync('umount', [disk]));
  const outside = await startOutside();
  const untrusted = await startHttpSink({ tls: true });
  const smtp = await startSmtpSink({ auth: { username: 'me', password: 'right' } });
  onTestFinished(untrusted.close);
  onTestFinished(smtp.close);
  const env: Record<string, string> = {
    HOOK: `${outside.origin}/hook`,
    PASSWORD: 'right',
    FORM_TOKEN_SECRET: 'x'.repeat(40),
  };
  const relay = await startCanaries(
    {
      ...outside.config,
      forms: {
        contact: {
          canary: { ...canary, page: `${outside.origin}/page`, ping: `${outside.origin}/ping` },
          fields,
          spam: { min_fill_seconds: 2, honeypot: 'website' },
          outputs: [
            { type: 'webhook', url_env: 'HOOK', mapping: '*', retries: 0 },
            {
              ...{ type: 'smtp', host: '127.0.0.1', port: smtp.port, to: 'me@example.com', mapping: '*' },
              username: 'me',
              password: '{{ env "PASSWORD" }}',
            },
            { type: 'folder', path: disk },
          ],
        },
      },
    },
    env,
  );
  const page = async () => (await relay.get('/api/v1/form/contact', { host: '127.0.0.1' })).text;
  const form = (await page()).replaceAll('"/api/v1/', `"${relay.origin}/api/v1/`);
  const script = `<script src="${relay.origin}/api/v1/form.js"></script>`;
  const whole = `<!doctype html><html><body>${script}<relay-form src="${relay.origin}/api/v1/form/contact"></relay-form></body></html>`;
  const show = (body: string, status = 200) => outside.answers.set('/page', () => ({ body, status }));
  show(whole);
  const tokenless = `<html><body>${form.replace(/<input type="hidden"[^>]*>/, '')}</body></html>`;

  /** Functions that break and repair each link, and a pattern for the reason in the alert. */
  const links: Readonly<Record<string, readonly [() => void, () => void, RegExp]>> = {
    DNS: [
      () => (env.HOOK = 'http://nothing.invalid/'),
      () => (env.HOOK = `${outside.origin}/hook`),
      /outputs\[0\].*(resolve|ENOTFOUND|DNS)/i,
    ],
    TLS: [
      () => (env.HOOK = `${untrusted.origin}/hook`),
      () => (env.HOOK = `${outside.origin}/hook`),
      /outputs\[0\].*certificate/,
    ],
    password: [() => (env.PASSWORD = 'wrong'), () => (env.PASSWORD = 'right'), /outputs\[1\] smtp.*535/],
    500: [
      () => outside.answers.set('/hook', () => ({ status: 500 })),
      () => outside.answers.delete('/hook'),
      /outputs\[0\].*500/,
    ],
    'no form in the page': [
      () => show('<!doctype html><html><body>Soon!</body></html>'),
      () => show(whole),
      /page .*no <form>/,
    ],
    token: [() => show(tokenless), () => show(whole), /page .*token/],
    'full disk': [
      () =>
        execFileSync(
          'sh',
          ['-c', `head -c 60000 /dev/zero > ${disk}/fill; cat /dev/zero > ${disk}/rest || true`],
          { stdio: 'ignore' },
        ),
      () => execFileSync('rm', [`${disk}/fill`, `${disk}/rest`]),
      /outputs\[2\] folder.*is full/,
    ],
    'another server behind the address': [
      () => show(whole.replaceAll(relay.origin, outside.origin)),
      () => show(whole),
      /relay .*another server answered/,
    ],
  };
  for (let healthy = 0; healthy < 3; healthy += 1)
    expect(await relay.interval()).toMatchObject([{ event: 'canary_passed' }]);
  expect(outside.alerts()).toEqual([]);
  await vi.waitFor(() => expect(outside.at('/ping')).toHaveLength(3));
  let told = 0;
  for (const [name, [breaks, heals, reason]] of Object.entries(links)) {
    // Only root can fill a disk.
    if (name === 'full disk' && !isMounted) continue;
    breaks();
    const pings = outside.at('/ping').length;
    for (let interval = 0; interval < 3; interval += 1)
      expect([name, await relay.interval()]).toMatchObject([name, [{ event: 'canary_failed' }]]);
    expect(outside.at('/ping')).toHaveLength(pings);
    await vi.waitFor(() => expect(outside.alerts()).toHaveLength(told + 1));
    expect(outside.alerts().at(-1)).toMatchObject({
      event: 'canary_failed',
      form: 'contact',
      reason: expect.stringMatching(reason),
    });
    heals();
    for (let interval = 0; interval < 2; interval += 1)
      expect([name, await relay.interval()]).toMatchObject([name, [{ event: 'canary_passed' }]]);
    told += 2;
    await vi.waitFor(() => expect(outside.at('/ping')).toHaveLength(pings + 2));
    await vi.waitFor(() => expect(outside.alerts()).toHaveLength(told));
    expect(outside.alerts().at(-1)).toMatchObject({ event: 'canary_passed', form: 'contact' });
  }
  expect(readdirSync(disk)).toEqual([]);
  // The eighth link is the relay itself: once it has stopped, no ping is sent.
  await relay.close();
  expect(relay.ticks.size).toBe(0);
});

test('tests of working forms cause no alert, and do not count as submissions', async () => {
  const outside = await startOutside();
  // Set CANARIES=10000 for a full run.
  const intervals = Number(process.env.CANARIES ?? 500) / 100;
  const names = Array.from({ length: 100 }, (_, index) => `form-${index}`);
  const form = {
    canary,
    fields,
    outputs: [{ type: 'http_post', url: `${outside.origin}/crm`, mapping: '*' }],
  };
  const relay = await startCanaries({
    ...outside.config,
    forms: Object.fromEntries(names.map((name) => [name, form])),
  });
  for (let interval = 0; interval < intervals; interval += 1) await relay.interval(names.length);
  expect(relay.tested().filter(({ event }) => event === 'canary_passed')).toHaveLength(intervals * 100);
  expect(outside.at('/crm')).toHaveLength(intervals * 100);
  expect(outside.alerts()).toEqual([]);
  expect(relay.logged.filter(({ event }) => event === 'submission')).toEqual([]);
}, 120_000);

test('receivers can recognise a test; visitors get no mail, and nothing is counted or archived', async () => {
  const outside = await startOutside();
  const smtp = await untilEnd(startSmtpSink());
  const [kept, archive] = [mkdtempSync(join(tmpdir(), 'canary-')), mkdtempSync(join(tmpdir(), 'canary-'))];
  const mail = { type: 'smtp', host: '127.0.0.1', port: smtp.port, mapping: '*' };
  const config = {
    ...outside.config,
    keep: { in: kept },
    forms: {
      course: {
        canary,
        ...{
          fields,
          places: 1,
          once: { by: 'email' },
          keep: 'always',
          rate_limit: '1 per 1h',
        },
        confirmation_mail: { to: 'email', subject: 'Thank you', text: 'Thank you' },
        outputs: [
          { type: 'http_post', url: `${outside.origin}/post`, mapping: '*' },
          {
            type: 'webhook',
            url: `${outside.origin}/sales`,
            mapping: '*',
            when: { field: 'topic', is: 'sales' },
          },
          {
            type: 'webhook',
            url: `${outside.origin}/support`,
            mapping: '*',
            when: { field: 'topic', is: 'support' },
          },
          { ...mail, to: 'owner@example.com', subject: 'A course' },
          { ...mail, to: '{{ .fields.email }}' },
          { type: 'folder', path: archive },
        ],
      },
    },
  };
  const relay = await startCanaries(config, { FORM_TOKEN_SECRET: 'x'.repeat(40) });
  expect(await relay.interval()).toMatchObject([{ event: 'canary_passed' }]);
  for (const path of ['/post', '/sales', '/support'])
    expect(outside.at(path)).toMatchObject([{ headers: { 'x-form-relay-canary': '1' } }]);
  expect(new URLSearchParams(outside.at('/post')[0]?.body).get('_canary')).toBe('1');
  expect(JSON.parse(outside.at('/support')[0]?.body ?? '')).toMatchObject({ _canary: '1', topic: 'support' });
  expect(smtp.mails).toHaveLength(1);
  expect(smtp.mails[0]?.envelope.to).toEqual(['owner@example.com']);
  expect(smtp.mails[0]?.raw).toMatch(/^Subject: \[Canary\] A course\r$/m);
  expect(smtp.mails[0]?.raw).toMatch(/^X-Form-Relay-Canary: 1\r$/m);
  expect(readdirSync(archive)).toEqual([]);
  // The only place is still free.
  const visitor = { name: 'Ada', email: 'ada@example.org', topic: 'sales' };
  expect((await relay.submit('course', visitor)).status).toBe(200);
  expect(outside.alerts()).toEqual([]);
  await relay.close();
  const { course } = config.forms;
  const incomplete = await startCanaries({
    ...config,
    forms: { course: { ...course, spam: { min_fill_seconds: 2 } } },
  });
  incomplete.pass(minute);
  expect(await incomplete.interval()).toMatchObject([
    { event: 'canary_failed', reason: expect.stringContaining('form course:') },
  ]);
});

test('a slow output fails, an announced maintenance may last a day, and a closed form is not tested', async () => {
  const outside = await startOutside();
  const post = (path: string) => [
    { type: 'http_post', url: `${outside.origin}${path}`, retries: 0, timeout: '200ms', mapping: '*' },
  ];
  const relay = await startCanaries({
    ...outside.config,
    forms: {
      busy: { canary, fields, outputs: post('/busy') },
      closed: {
        canary: { ...canary, ping: `${outside.origin}/ping` },
        closes: '2020-01-01T00:00:00Z',
        fields,
        outputs: post('/closed'),
      },
    },
  });
  const announce = () => ({ status: 503, headers: { 'retry-after': '600' } });
  outside.answers.set('/busy', announce);
  for (let interval = 0; interval < 3; interval += 1)
    expect(new Set((await relay.interval(2)).map(({ event }) => event))).toEqual(new Set(['canary_paused']));
  expect(outside.at('/closed')).toEqual([]);
  await vi.waitFor(() => expect(outside.at('/ping')).toHaveLength(3));
  expect(outside.alerts()).toEqual([]);
  relay.pass(24 * 60 * minute);
  await relay.interval(2);
  await vi.waitFor(() => expect(outside.alerts()).toMatchObject([{ form: 'busy', event: 'canary_failed' }]));
  outside.answers.delete('/busy');
  await relay.interval(2);
  await vi.waitFor(() => expect(outside.alerts()).toHaveLength(2));
  outside.answers.set('/busy', () => new Promise(() => {}) as never);
  await relay.interval(2);
  await vi.waitFor(() => expect(outside.alerts()).toHaveLength(3));
  expect(outside.alerts()[2]).toMatchObject({ form: 'busy', reason: expect.stringContaining('200 ms') });
});

test('copies of the relay that share a store test once per interval, and alert once', async () => {
  const outside = await startOutside();
  const config = {
    ...outside.config,
    keep: { in: mkdtempSync(join(tmpdir(), 'canary-')) },
    forms: {
      contact: {
        canary,
        fields,
        outputs: [{ type: 'http_post', url: `${outside.origin}/crm`, mapping: '*', retries: 0 }],
      },
    },
  };
  const [one, other] = [await startCanaries(config), await startCanaries(config)];
  const both = async () => {
    const before = one.tested().length + other.tested().length;
    one.pass(minute);
    other.pass(minute);
    await vi.waitFor(() => {
      for (const { ticks } of [one, other]) for (const tick of ticks) tick();
      expect(one.tested().length + other.tested().length).toBe(before + 1);
    });
  };
  for (let interval = 0; interval < 4; interval += 1) await both();
  expect(outside.at('/crm')).toHaveLength(4);
  outside.answers.set('/crm', () => ({ status: 500 }));
  for (let interval = 0; interval < 4; interval += 1) await both();
  outside.answers.delete('/crm');
  for (let interval = 0; interval < 4; interval += 1) await both();
  await expect
    .poll(() => outside.alerts().map(({ event }) => event))
    .toEqual(['canary_failed', 'canary_passed']);
});

test('relay canary tests once and prints each link; with --alert, it sends one alert for a failure', async () => {
  const outside = await startOutside();
  const output = (path: string) => [
    { type: 'http_post', url: `${outside.origin}${path}`, mapping: '*', retries: 0 },
  ];
  outside.answers.set('/down', () => ({ status: 500 }));
  const config = {
    ...outside.config,
    keep: { in: '.' },
    forms: { well: { canary, fields, outputs: output('/up') }, ill: { fields, outputs: output('/down') } },
  };
  const { run } = await openTerminal({ files: { 'webform.yaml': JSON.stringify(config) } });
  const target = `outputs[0] http_post to ${outside.origin}`;
  const whole = await run('relay canary');
  expect({ ...whole, stdout: whole.stdout.replaceAll(/\d+ ms/g, '1 ms') }).toEqual({
    stdout: `well: passed\n  passed: form well (1 ms)\n  passed: ${target}/up (1 ms)\n`,
    stderr: '',
    code: 0,
  });
  const { stdout, code } = await run('relay canary --form ill --json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      form: 'ill',
      result: 'failed',
      links: [{ link: 'form' }, { result: 'failed', says: 'the server answered 500' }],
    },
  ]);
  expect(outside.alerts()).toEqual([]);
  for (let time = 0; time < 2; time += 1) await run('relay canary --form ill --alert');
  outside.answers.delete('/down');
  for (let time = 0; time < 2; time += 1) await run('relay canary --form ill --alert');
  expect(outside.alerts().map(({ event }) => event)).toEqual(['canary_failed', 'canary_passed']);
});

test('the inbox shows the last test of each form', async () => {
  const outside = await startOutside();
  outside.answers.set('/down', () => ({ status: 500 }));
  const form = (path: string) => ({
    ...{ canary, fields },
    outputs: [
      { type: 'http_post', url: outside.origin + path, mapping: '*', retries: 0 },
      { type: 'folder', path: '.' },
    ],
  });
  const config = {
    keep: { in: './' },
    forms: { well: form('/up'), ill: form('/down'), other: { ...form('/'), canary: undefined } },
  };
  const { run } = await openTerminal({ files: { 'webform.yaml': JSON.stringify(config) } });
  await run('relay canary --alert');
  const { stdout } = await run(`relay inbox --no-open --port 0 > out & pid=$!
    until grep -q key= out; do sleep 0.05; done
    curl -sL -c jar -b jar -o page "$(grep -o 'http[^ ]*' out)"
    curl -s -b jar "$(grep -o 'http[^?]*' out)api/about"; kill $pid`);
  const { forms } = JSON.parse(stdout) as { forms: { id: string; tested?: object }[] };
  const now = expect.any(Number);
  expect(Object.fromEntries(forms.map(({ id, tested }) => [id, tested]))).toEqual({
    well: { passedAt: now },
    ill: { failingSince: now },
    other: undefined,
  });
});
