import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok } from '../../packages/base/src/result.ts';
import { SettingError } from '../../packages/core/src/settings.ts';
import {
  createRelay,
  expectLogged,
  type LogEvent,
  relayWith,
  smtpSink,
  type TestRelay,
  tempFolder,
} from '../support/index.ts';

/** A config whose only form has this name, which shows that the config is in use. */
const configOf = (form: string, top = '') =>
  `${top}\nforms: {${form}: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`;

const has = async ({ get }: TestRelay, form: string) => (await get(`/api/v1/form/${form}`)).status === 200;

async function configFile(form: string): Promise<string> {
  const directory = tempFolder();
  const path = join(directory, 'forms.yaml');
  await writeFile(path, configOf(form));
  return path;
}

/** A relay with a config file, and a clock that only the test advances. */
async function cached({
  first = configOf('one'),
  env = {},
}: {
  first?: string;
  env?: Record<string, string>;
} = {}) {
  const file = { text: first as string | undefined, reads: 0, until: Promise.resolve(), requests: 0 };
  let clockMs = Date.UTC(2030, 0, 1);
  const relay = await relayWith({
    env: { CONFIG_FILE: 'forms.yaml', ...env },
    effects: {
      now: () => clockMs,
      uuid: () => `00000000-0000-4000-8000-${String(++file.requests).padStart(12, '0')}`,
      readFile: async () => {
        file.reads += 1;
        await file.until;
        return file.text === undefined
          ? err('the file does not exist')
          : ok({ text: file.text, modifiedAt: 0 });
      },
    },
  });
  return {
    ...relay,
    file,
    pass: (ms: number) => {
      clockMs += ms;
    },
  };
}

const ready = async ({ get }: TestRelay) => {
  const { status, json } = await get('/readyz');
  return [status, ...Object.keys(json as object)];
};

const events = ({ logged }: { logged: readonly LogEvent[] }) =>
  logged.filter(({ event }) => event.startsWith('config_')).map(({ level, event }) => [level, event]);

describe('Configuration sources', () => {
  test.each([
    ['inline', { CONFIG_INLINE: configOf('inline'), CONFIG_BUCKET: 'b' }],
    ['file', { CONFIG_BUCKET: 'b' }],
    ['file', { CONFIG_INLINE: '' }],
  ])('the form %s exists, next to CONFIG_FILE, with %j', async (form, env) => {
    const relay = await relayWith({ env: { CONFIG_FILE: await configFile('file'), ...env } });
    expect([await has(relay, 'inline'), await has(relay, 'file')]).toEqual([
      form === 'inline',
      form === 'file',
    ]);
  });

  test('a source that is set takes precedence even if it does not load', async () => {
    const relay = await relayWith({
      env: { CONFIG_INLINE: 'forms: [', CONFIG_FILE: await configFile('file') },
    });
    expect((await relay.get('/api/v1/form/file')).status).toBe(500);
  });

  test('without any source, every form answers 500, and the log says what to set', async () => {
    const relay = await relayWith({});
    expect((await relay.submit('contact', 'a=1')).status).toBe(500);
    expectLogged(relay, { level: 'error', reason: expect.stringContaining('CONFIG_FILE') });
  });
});

const defaults = {
  CONFIG_INLINE: { configInline: undefined },
  CONFIG_FILE: { configFile: undefined },
  CONFIG_BUCKET: { configBucket: undefined },
  CONFIG_KEY: { configKey: 'webform.yaml' },
  CACHE_TTL: { cacheTtlMs: undefined },
  MAIL_FROM_ADDRESS: { mailFromAddress: undefined },
  SMTP_EHLO_NAME: { smtpEhloName: undefined },
  FORM_TOKEN_SECRET: { formTokenSecret: '' },
  ALLOWED_ORIGINS: { allowedOrigins: '*' },
  PUBLIC_URL: { publicUrl: undefined },
  THROTTLE_RATE_LIMIT: { throttleRate: 10 },
  THROTTLE_BURST_LIMIT: { throttleBurst: 20 },
};

describe('Environment variables', () => {
  test.each(Object.entries(defaults))('%s has its default when unset, and when empty', (name, setting) => {
    expect(createRelay({ env: {} }).settings).toMatchObject(setting);
    expect(createRelay({ env: { [name]: '' } }).settings).toMatchObject(setting);
  });

  test.each([
    ['CACHE_TTL', ['30', 'soon', '-1s', '30 s', '1d']],
    [
      'ALLOWED_ORIGINS',
      [
        ...['example.com', 'https://a.example/', 'https://*.example.com', '*, https://a.example', 'null'],
        ...[',', ' '],
      ],
    ],
    [
      'PUBLIC_URL',
      [
        'forms.example.com',
        'ftp://a.example',
        'https://u:p@a.example',
        ...['?a', '#a', '/?', '//b.example', '/a//b', '/a/api/v1', '/a|b'].map(
          (rest) => `https://a.example${rest}`,
        ),
      ],
    ],
    ['MAIL_FROM_ADDRESS', ['forms', 'a@b.example, c@d.example', 'Forms <forms>', 'A\r\nBcc: <a@b.example>']],
    ['SMTP_EHLO_NAME', ['my host', '192.0.2.1', '[192.0.2.256]', '[2001:db8::1]', 'a.b\r\nMAIL', '-a.b']],
    ['THROTTLE_RATE_LIMIT', ['0', '-1', 'ten', '1e3', '10/s']],
    ['THROTTLE_BURST_LIMIT', ['0', '-1', 'ten', '1.5', ' ']],
    ['PORT', ['http', '-1', '65536', '80.5']],
  ])('a malformed %s prevents the start, and is named', (name, values) => {
    for (const value of values) {
      const start = () => createRelay({ config: configOf('one'), env: { [name]: value } });
      expect(start, value).toThrow(SettingError);
      expect(start, value).toThrow(new RegExp(`^${name}: `));
    }
  });

  test('mail servers receive SMTP_EHLO_NAME', async () => {
    const sink = await smtpSink();
    const output = `{type: smtp, host: 127.0.0.1, port: "${sink.port}", to: a@b.example, mapping: "*"}`;
    const relay = createRelay({
      config: `forms: {contact: {fields: [{name: a}], outputs: [${output}]}}`,
      env: { SMTP_EHLO_NAME: 'forms.firm.example' },
    });
    const body = new URLSearchParams({ a: '1' });
    await relay.fetch(new Request('http://relay/api/v1/submit/contact', { method: 'POST', body }));
    await relay.close();
    expect(sink.mails).toMatchObject([{ ehlo: 'forms.firm.example' }]);
  });

  test('all malformed variables are reported at once', () => {
    expect(() => createRelay({ env: { CACHE_TTL: 'x', THROTTLE_RATE_LIMIT: 'x', PORT: 'x' } })).toThrow(
      /^CACHE_TTL: .*\nTHROTTLE_RATE_LIMIT: .*\nPORT: .*$/,
    );
  });

  test('FORM_TOKEN_SECRET is never read from the config file', async () => {
    const form =
      'fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1/"}], spam: {min_fill_seconds: 1';
    for (const config of [
      `form_token_secret: s\nforms: {contact: {${form}}}}`,
      `FORM_TOKEN_SECRET: s\nforms: {contact: {${form}}}}`,
      `forms: {contact: {${form}, secret: s}}}`,
    ]) {
      const relay = await relayWith({ config });
      expect(await ready(relay)).toEqual([503, 'error']);
    }
    const relay = await relayWith({ config: `forms: {contact: {${form}}}}` });
    expect((await relay.submit('contact', 'a=1')).status).toBe(500);
  });
});

describe('The config cache', () => {
  const twoHours = { first: configOf('one', 'cache_ttl: 2h') };
  test.each([
    ['30 s by default', {}, 30_000],
    ['cache_ttl', twoHours, 7_200_000],
    ['CACHE_TTL', { env: { CACHE_TTL: '5s' } }, 5_000],
    ['CACHE_TTL rather than cache_ttl', { ...twoHours, env: { CACHE_TTL: '5s' } }, 5_000],
    ['cache_ttl when CACHE_TTL is empty', { ...twoHours, env: { CACHE_TTL: '' } }, 7_200_000],
  ])('is used for %s; then the config is fetched again', async (_what, options, ttlMs) => {
    const relay = await cached(options);
    expect(await has(relay, 'one')).toBe(true);
    relay.file.text = configOf('two');
    relay.pass(ttlMs - 1);
    expect(await has(relay, 'one')).toBe(true);
    expect(relay.file.reads).toBe(1);
    relay.pass(1);
    expect(await has(relay, 'two')).toBe(true);
    expect(await has(relay, 'one')).toBe(false);
    // The changed file is read once more.
    expect(relay.file.reads).toBe(3);
  });

  test('a changed cache_ttl applies from the time it was read', async () => {
    const relay = await cached({ first: configOf('one', 'cache_ttl: 10s') });
    await ready(relay);
    relay.file.text = configOf('one', 'cache_ttl: 1m');
    relay.pass(10_000);
    await ready(relay);
    relay.pass(59_999);
    await ready(relay);
    expect(relay.file.reads).toBe(3);
  });

  test('setting the clock back does not delay the next read', async () => {
    const relay = await cached({ first: configOf('one', 'cache_ttl: 10s') });
    await ready(relay);
    relay.file.text = configOf('two');
    relay.pass(-3_600_000);
    expect(await has(relay, 'two')).toBe(true);
  });

  test.each(['first', 'next'])('loads once, however many requests wait (%s load)', async (which) => {
    const relay = await cached();
    if (which === 'next') {
      await ready(relay);
      relay.pass(30_000);
    }
    const { reads, requests } = relay.file;
    let release = () => {};
    relay.file.until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = Array.from({ length: 8 }, () => has(relay, 'one'));
    await expect.poll(() => relay.file.requests, { interval: 5 }).toBe(requests + 8);
    release();
    expect(await Promise.all(waiting)).toEqual(Array(8).fill(true));
    expect(relay.file.reads).toBe(reads + 1);
  });

  test.each([
    ['is broken', 'forms: [', 'config_invalid'],
    ['is gone', undefined, 'config_unavailable'],
  ])('keeps the last valid config if the new one %s', async (_what, text, event) => {
    const relay = await cached();
    await ready(relay);
    relay.file.text = text;
    relay.pass(30_000);
    expect(await has(relay, 'one')).toBe(true);
    expect(events(relay)).toEqual([
      ['info', 'config_loaded'],
      ['error', event],
    ]);
    const { status, json } = await relay.get('/readyz');
    expect(status).toBe(200);
    expect(json).toEqual({ message: expect.stringContaining('last good config') });

    relay.file.text = configOf('two');
    relay.pass(30_000);
    expect(await has(relay, 'two')).toBe(true);
    expect((await relay.get('/readyz')).json).toEqual({ message: 'ok' });
  });

  test('a failed first load answers 500, and the next request tries again', async () => {
    const relay = await cached({ first: 'forms: [' });
    expect((await relay.submit('one', 'a=1')).status).toBe(500);
    expect((await relay.get('/api/v1/form/one')).status).toBe(500);
    expect((await relay.get('/api/v1/token/one')).status).toBe(500);
    expect(relay.file.reads).toBe(3);
    // The failure is expected, so the log does not report a bug.
    expect(relay.logged.filter(({ event }) => event === 'internal_error')).toEqual([]);
    relay.file.text = configOf('one');
    expect(await has(relay, 'one')).toBe(true);
  });
});
