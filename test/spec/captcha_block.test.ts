import { ClientError, expectLogged, httpSink, relayWith, type SinkAnswer } from '../support/index.ts';
import { config, documented, guarded, human, providers, verdict } from './captcha_stage.ts';

const bot = verdict({ success: false, score: 0.1, 'error-codes': ['invalid-input-response'] });

describe('min_score', () => {
  test.each([
    [0.5, { success: true, score: 0.5 }, 200],
    [0.5, { success: true, score: 0.51 }, 200],
    [0.5, { success: true, score: 0.49 }, 400],
    [0.5, { success: false, score: 0.9 }, 400],
    [0.5, { success: true }, 400],
    [0.5, { success: true, score: '0.9' }, 400],
    [0.5, { success: true, score: null }, 400],
    [0, { success: true, score: 0 }, 200],
    [1, { success: true, score: 1 }, 200],
    [1, { success: true, score: 0.99 }, 400],
    [undefined, { success: true, score: 0 }, 200],
    [undefined, { success: true }, 200],
  ])('%d: a verdict of %j gives %i', async (min_score, body, status) => {
    const { send } = await guarded({ provider: 'recaptcha_v3', min_score }, verdict(body));
    expect((await send()).status).toBe(status);
  });

  test("the log has each score, and a missing one is the owner's problem", async () => {
    const accepted = await guarded({ provider: 'recaptcha_v3' }, verdict({ success: true, score: 0.2 }));
    await accepted.send();
    expectLogged(accepted.relay, { event: 'submission', outcome: 'delivered', captcha_score: 0.2 });
    const low = await guarded(
      { provider: 'recaptcha_v3', min_score: 0.5 },
      verdict({ success: true, score: 0.2 }),
    );
    await low.send();
    expectLogged(low.relay, {
      level: 'info',
      event: 'submission',
      outcome: 'captcha_failed',
      score: 0.2,
      reason: 'recaptcha_v3 does not accept the token: score 0.2',
    });
    const none = await guarded({ provider: 'recaptcha_v3', min_score: 0.5 }, verdict({ success: true }));
    await none.send();
    expectLogged(none.relay, {
      level: 'error',
      event: 'captcha_unverified',
      reason: expect.stringMatching(/no score/),
    });
  });
});

describe('fails closed if the provider gives no verdict', () => {
  test.each(providers)('%s does not answer within 5 s', async (provider) => {
    const timeouts: number[] = [];
    const relay = await relayWith({
      config: config({ provider }),
      effects: {
        sleep: async () => {},
        http: async ({ timeoutMs }) => {
          timeouts.push(timeoutMs);
          throw new ClientError('no complete answer in time');
        },
      },
    });
    const values: [string, string][] = [
      ['name', 'Ann'],
      [documented[provider]?.field ?? '', 'visitor-token'],
    ];
    expect((await relay.submit('contact', values)).status).toBe(400);
    expect(new Set(timeouts)).toEqual(new Set([5000]));
    expectLogged(relay, {
      level: 'error',
      event: 'captcha_unverified',
      reason: 'no complete answer in time',
    });
  });

  test('a request to the provider waits no longer than the submission’s remaining time', async () => {
    const timeouts: number[] = [];
    let ms = Date.UTC(2030, 0, 1);
    const relay = await relayWith({
      config: config({ provider: 'turnstile' }),
      effects: {
        now: () => ms,
        sleep: async () => {},
        http: async ({ timeoutMs }) => {
          timeouts.push(timeoutMs);
          ms += 22_000;
          throw new ClientError('connection reset');
        },
      },
    });
    await relay.submit('contact', 'name=Ann&cf-turnstile-response=visitor-token');
    expect(timeouts[0]).toBe(5000);
    expect(timeouts[1]).toBeGreaterThan(0);
    expect(timeouts[1]).toBeLessThanOrEqual(3000);
  });
});

test.each(['invalid-input-secret', 'missing-input-secret', 'sitekey-secret-mismatch', 'invalid-keys'])(
  "%s is logged as the operator's problem, without token or secret",
  async (code) => {
    const { relay, send } = await guarded(
      { provider: 'hcaptcha' },
      verdict({ success: false, 'error-codes': [code, 'TOKEN 1', 'S3CRET 2'] }),
    );
    expect((await send()).status).toBe(400);
    const log = JSON.stringify(relay.logged.filter(({ level }) => level === 'error'));
    expect(log).toContain(code);
    expect(log).not.toMatch(/TOKEN|S3CRET/);
  },
);

test('if a provider accepts any secret for a while, visitors pass, and the owner is told', async () => {
  const { relay, send } = await guarded(
    { provider: 'hcaptcha' },
    verdict({ success: true, 'error-codes': ['sitekey-secret-mismatch'] }),
  );
  expect(await send()).toEqual({ status: 200, requests: 1, delivered: 1 });
  expectLogged(relay, {
    level: 'error',
    event: 'captcha_unverified',
    codes: ['sitekey-secret-mismatch'],
  });
});

describe('a request is repeated only if that is safe', () => {
  const down: SinkAnswer = { status: 503 };

  test.each(['recaptcha_v2', 'recaptcha_v3', 'hcaptcha'])(
    '%s: never if the provider may have received it',
    async (provider) => {
      const { provider: sink, send } = await guarded({ provider }, down, human);
      expect(await send()).toEqual({ status: 400, requests: 1, delivered: 0 });
      expect(new URLSearchParams(sink.requests[0]?.body).has('idempotency_key')).toBe(false);
    },
  );

  test.each([
    ['recaptcha_v2', 1],
    ['recaptcha_v3', 1],
    ['hcaptcha', 1],
    ['turnstile', 2],
  ])('%s hangs up after receiving the token: it gets %i requests', async (provider, requests) => {
    const sink = await httpSink({
      answer: () => {
        sink.closeAll();
        return {};
      },
    });
    const { send } = await guarded({ provider, verify_url: sink.origin });
    expect((await send()).status).toBe(400);
    expect(sink.requests).toHaveLength(requests);
  });

  test('waiting ends with the submission', async () => {
    let ms = Date.UTC(2030, 0, 1);
    const waited: number[] = [];
    const relay = await relayWith({
      config: config({ provider: 'hcaptcha' }),
      effects: {
        now: () => ms,
        sleep: async (waitMs) => {
          waited.push(waitMs);
          ms += waitMs;
        },
        http: async () => {
          ms += 30_000;
          throw new ClientError('connect ETIMEDOUT', { retryAfterMs: 0, isUnsent: true });
        },
      },
    });
    const values = 'name=Ann&h-captcha-response=visitor-token';
    expect((await relay.submit('contact', values)).status).toBe(400);
    expect(waited).toEqual([0]);
  });

  test.each([500, 503])('turnstile: once, with the same idempotency_key (%i)', async (status) => {
    const { provider: sink, send } = await guarded({ provider: 'turnstile' }, { status }, human);
    expect(await send()).toEqual({ status: 200, requests: 2, delivered: 1 });
    const [first, second] = sink.requests.map(({ body }) => body);
    expect(second).toBe(first);
    expect(new URLSearchParams(first).get('idempotency_key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('turnstile: after its own internal error, which other providers do not report', async () => {
    const internal = verdict({ success: false, 'error-codes': ['internal-error'] });
    const turnstile = await guarded({ provider: 'turnstile' }, internal, human);
    expect(await turnstile.send()).toEqual({ status: 200, requests: 2, delivered: 1 });
    const other = await guarded({ provider: 'hcaptcha' }, internal, human);
    expect(await other.send()).toEqual({ status: 400, requests: 1, delivered: 0 });
  });

  test('turnstile: not after a verdict', async () => {
    const { send } = await guarded({ provider: 'turnstile' }, bot, human);
    expect(await send()).toEqual({ status: 400, requests: 1, delivered: 0 });
  });
});
