import { generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startTeam } from './team_stage.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Starts a team inbox, and signs ada in with a browser. */
async function signedIn(...options: Parameters<typeof startTeam>) {
  const team = await startTeam(...options);
  const browser = team.openBrowser();
  await browser.signIn();
  return { ...team, browser };
}

describe('signing in', () => {
  test('shows nothing before, and only what the rights allow after', async () => {
    const { openBrowser, audited, audit } = await startTeam();
    const browser = openBrowser();
    const before = await browser.visit('/');
    expect([before.status, before.body]).toEqual([401, expect.stringContaining('Sign in')]);
    expect((await browser.visit('/api/forms/contact')).status).toBe(401);
    const back = await browser.signIn();
    expect([back.status, back.headers.location]).toEqual([303, '/']);
    expect(String(back.headers['set-cookie'])).toMatch(
      /^inbox-\d+=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax/,
    );
    expect((await browser.visit('/')).body).toBe('ada@example.org sees contact, erases: true');
    expect(audited().map(({ who, what }) => [who, what])).toEqual([
      ['ada@example.org', 'signed_in'],
      ['ada@example.org', 'opened'],
    ]);
    for (const name of readdirSync(audit)) expect(statSync(join(audit, name)).mode & 0o777).toBe(0o600);
  });

  test('maps groups, and hides a form without a right', async () => {
    const { openBrowser, provider } = await startTeam();
    provider.state.who = 'bob';
    const browser = openBrowser();
    await browser.signIn();
    expect((await browser.visit('/api/forms/contact')).body).toBe(
      'bob@example.org sees contact, erases: false',
    );
    expect((await browser.visit('/api/forms/jobs')).status).toBe(404);
  });

  test.each([
    ['an address that is not verified', 'eve', 'did not verify your address'],
    ['a stranger, whose groups are no list', 'mallory', 'may not use this inbox'],
  ])('rejects %s', async (_, who, words) => {
    const { openBrowser, provider, audited } = await startTeam();
    provider.state.who = who;
    const browser = openBrowser();
    const answer = await browser.signIn();
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining(words)]);
    expect((await browser.visit('/')).status).toBe(401);
    expect(audited().map(({ what }) => what)).toEqual(['refused']);
  });

  test.each([
    ['hosted_domain: example.org', 'ada', {}, 403],
    ['verified_claim: xms_edov', 'ada', {}, 403],
    ['verified_claim: xms_edov', 'eve', { xms_edov: true }, 303],
    ['groups_claim: roles', 'bob', {}, 403],
    ['groups_claim: roles', 'mallory', { roles: ['/support'] }, 303],
    ['scope: openid', 'ada', {}, 403],
  ])('applies %s to %s with %j', async (signIn, who, claims, status) => {
    const { openBrowser, provider } = await startTeam({ signIn });
    provider.accounts.set(who, { ...provider.accounts.get(who), ...claims });
    provider.state.who = who;
    expect((await openBrowser().signIn()).status).toBe(status);
  });

  test('treats group names literally', async () => {
    const { openBrowser, provider } = await startTeam();
    provider.accounts.set('bob', {
      groups: ['/support ', '/Support', '/support,owners', ['/support'], { a: 1 }, '__proto__'],
    });
    provider.state.who = 'bob';
    expect((await openBrowser().signIn()).status).toBe(403);
  });

  test.each([
    ['a forged state', (address: URL) => address.searchParams.set('state', 'forged'), 400],
    ['a forged nonce', (address: URL) => address.searchParams.set('nonce', 'forged'), 403],
    ['a missing nonce', (address: URL) => address.searchParams.delete('nonce'), 403],
    [
      'another PKCE challenge',
      (address: URL) => address.searchParams.set('code_challenge', 'x'.repeat(43)),
      403,
    ],
  ])('rejects %s', async (_, change, status) => {
    const { openBrowser } = await startTeam();
    const browser = openBrowser();
    const answer = await browser.signIn(change);
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining('Sign in')]);
    expect((await browser.visit('/')).status).toBe(401);
  });

  test('rejects a code brought by another browser, or used before', async () => {
    const { openBrowser } = await startTeam();
    const [victim, thief] = [openBrowser(), openBrowser()];
    const { address } = await victim.toCallback();
    expect((await thief.visit(address)).status).toBe(400);
    const cookies = new Map(victim.cookiesOf());
    expect((await victim.visit(address)).status).toBe(303);
    for (const [name, value] of cookies) thief.cookiesOf().set(name, value);
    expect((await thief.visit(address)).status).toBe(403);
    expect((await thief.visit('/')).status).toBe(401);
  });

  test('rejects a token that was issued in the future', async () => {
    const { openBrowser, clock } = await startTeam();
    // The provider uses the real clock.
    clock.now = Date.now() - 600_000;
    expect((await openBrowser().signIn()).status).toBe(403);
    clock.now = Date.now() - 60_000;
    expect((await openBrowser().signIn()).status).toBe(303);
  });

  test('rejects a token for another audience', async () => {
    let other = '';
    const swapping: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).endsWith('/token') || other === '') return response;
      return Response.json({ ...((await response.json()) as object), id_token: other });
    };
    const { openBrowser, provider } = await startTeam({ fetch: swapping });
    const browser = openBrowser();
    let nonce = '';
    const { address } = await browser.toCallback((to) => {
      nonce = to.searchParams.get('nonce') ?? '';
    });
    const query = {
      client_id: 'other',
      redirect_uri: 'http://127.0.0.1/other',
      response_type: 'code',
      scope: 'openid email',
      nonce,
    };
    const elsewhere = openBrowser();
    let at = `${provider.issuer}/auth?${new URLSearchParams(query)}`;
    while (!at.startsWith(query.redirect_uri))
      at = new URL((await elsewhere.visit(at)).headers.location ?? '', at).href;
    const code = new URL(at).searchParams.get('code') ?? '';
    const token = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('other:other-secret-of-some-length')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: query.redirect_uri }),
    });
    other = ((await token.json()) as { id_token: string }).id_token;
    expect(other).toMatch(/^ey/);
    const answer = await browser.visit(address);
    expect([answer.status, answer.body]).toEqual([
      403,
      expect.stringContaining('does not belong to this sign-in'),
    ]);
  });

  test.each([
    ['of another client', 'other', 403],
    ['of this one', 'inbox', 303],
  ])('checks the authorized party of a token: one that %s', async (_, azp, status) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
    const resigned = (token: string) => {
      const [head = '', claims = ''] = token.split('.');
      const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), azp };
      const signed = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    };
    const changing: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/jwks')) return Response.json({ keys: [jwk] });
      const response = await fetch(input, init);
      if (!String(input).endsWith('/token')) return response;
      const tokens = (await response.json()) as { id_token: string };
      return Response.json({ ...tokens, id_token: resigned(tokens.id_token) });
    };
    const { openBrowser } = await startTeam({ fetch: changing });
    expect((await openBrowser().signIn()).status).toBe(status);
  });

  test('is not locked out by a stranger behind the same proxy with the same address', async () => {
    let held: Promise<unknown> | undefined;
    const holding: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/token')) await held;
      return fetch(input, init);
    };
    const { openBrowser, log, audited } = await startTeam({ fetch: holding });
    const limited = () => audited().filter(({ what }) => what === 'limited');
    const stranger = { 'x-forwarded-for': '203.0.113.9' };
    expect(new Set(await madeUp(openBrowser, 130, stranger))).toEqual(new Set([403]));
    expect((await openBrowser().signIn()).status).toBe(303);
    let release: (_?: unknown) => void = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    const many = Array.from({ length: 100 }, () => madeUp(openBrowser, 1, stranger));
    await vi.waitUntil(() => limited().length > 0, { timeout: 30_000 });
    release();
    expect(new Set((await Promise.all(many)).flat())).toEqual(new Set([403, 429]));
    expect((await openBrowser().signIn()).status).toBe(303);
    expect(log.filter(([event]) => event === 'inbox_clients_unknown')).toEqual([
      ['inbox_clients_unknown', { reason: expect.stringContaining('TRUSTED_PROXIES is not set') }],
    ]);
    expect(limited()).toEqual([
      expect.objectContaining({ who: 'an unknown client address', limit: 'sign_in' }),
    ]);
  });

  test('is limited by client, and by network for IPv6', async () => {
    const { openBrowser, audited } = await startTeam({ trustedProxies: '127.0.0.1' });
    let host = 0;
    const statuses = await madeUp(openBrowser, 25, () => ({ 'x-forwarded-for': `2001:db8::${++host}` }));
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    const other = openBrowser();
    const { address } = await other.toCallback();
    expect((await other.visit(address, 'GET', { 'x-forwarded-for': '2001:db8:1::1' })).status).toBe(303);
    expect(audited().filter(({ what }) => what === 'limited')).toEqual([
      expect.objectContaining({ who: '2001:db8:0:0::/64' }),
    ]);
  });

  test('says that the provider is down, while signed-in people are not affected', async () => {
    const { openBrowser, provider, clock } = await startTeam();
    const ada = openBrowser();
    await ada.signIn();
    provider.state.isDown = true;
    clock.now += 10_000;
    expect((await ada.visit('/')).status).toBe(200);
    const fresh = await startTeam();
    fresh.provider.state.isDown = true;
    const answer = await fresh.openBrowser().visit('/sign-in', 'POST');
    expect([answer.status, answer.body]).toEqual([503, expect.stringContaining('does not respond')]);
    expect(fresh.log).toEqual([
      ['sign_in_failed', { provider: expect.any(String), reason: 'provider_down' }],
    ]);
    fresh.provider.state.isDown = false;
    fresh.clock.now += 10_000;
    expect((await fresh.openBrowser().signIn()).status).toBe(303);
  });

  test('is not evicted by a flood of other sign-ins', async () => {
    const { openBrowser, base, ask } = await startTeam();
    const browser = openBrowser();
    const { address } = await browser.toCallback();
    for (let count = 0; count < 500; count += 1) await ask(`${base}/sign-in`, 'POST');
    expect((await browser.visit(address)).status).toBe(303);
  });

  test('expires after 10 minutes', async () => {
    const { openBrowser, clock } = await startTeam();
    const browser = openBrowser();
    const { address } = await browser.toCallback();
    clock.now += 600_001;
    expect((await browser.visit(address)).status).toBe(400);
  });
});

describe('a session', () => {
  test('the sessions of one person never evict those of others', async () => {
    const { openBrowser, provider, clock } = await startTeam();
    const [ada, bob] = [openBrowser(), openBrowser()];
    await ada.signIn();
    provider.state.who = 'bob';
    await bob.signIn();
    for (let count = 0; count < 20; count += 1) {
      clock.now += 1_000;
      await openBrowser().signIn();
    }
    expect((await ada.visit('/')).status).toBe(200);
    expect((await bob.visit('/')).status).toBe(401);
  });

  test('ends on sign-out, also for a stolen cookie', async () => {
    const { openBrowser, provider } = await startTeam();
    const [ada, thief] = [openBrowser(), openBrowser()];
    await ada.signIn();
    for (const [name, value] of ada.cookiesOf()) thief.cookiesOf().set(name, value);
    expect((await thief.visit('/')).status).toBe(200);
    const out = await ada.visit('/api/sign-out', 'POST');
    expect(JSON.parse(out.body).to).toMatch(`${provider.issuer}/session/end?id_token_hint=`);
    expect((await thief.visit('/')).status).toBe(401);
  });

  test('ends after one idle hour, and always after 12 hours', async () => {
    const { browser, clock } = await signedIn();
    for (let half = 1; half < 24; half += 1) {
      clock.now += 1_800_000;
      expect((await browser.visit('/')).status).toBe(200);
    }
    clock.now += 1_800_000;
    expect((await browser.visit('/')).status).toBe(401);
    await browser.signIn();
    clock.now += 3_600_000;
    expect((await browser.visit('/')).status).toBe(401);
  });

  test('gets a new id with each sign-in', async () => {
    const { browser } = await signedIn();
    const before = [...browser.cookiesOf().values()];
    await browser.signIn();
    expect([...browser.cookiesOf().values()]).not.toEqual(before);
  });

  test('loses its rights when the config revokes them', async () => {
    const { browser, reload } = await signedIn();
    await reload('[{email: bob@example.org, may: [read]}]');
    const answer = await browser.visit('/');
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('may not use this inbox')]);
  });
});

describe('cross-site requests', () => {
  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['another origin, in an old browser', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('are rejected from %s', async (_, headers) => {
    const { browser } = await signedIn();
    expect((await browser.visit('/api/sign-out', 'POST', headers)).status).toBe(403);
    expect((await browser.visit('/')).status).toBe(200);
  });

  test('are rejected under a foreign host name', async () => {
    const { browser } = await signedIn();
    for (const host of ['evil.example', 'evil.example@127.0.0.1', '127.0.0.1:1'])
      expect((await browser.visit('/', 'GET', { host })).status).toBe(403);
  });
});

/** Returns from the provider with made-up codes. */
async function madeUp(
  openBrowser: Awaited<ReturnType<typeof startTeam>>['openBrowser'],
  times: number,
  headers: Record<string, string> | (() => Record<string, string>),
) {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1) {
    const browser = openBrowser();
    const begun = await browser.visit('/sign-in', 'POST');
    const { origin, searchParams } = new URL(begun.headers.location ?? '');
    // The issuer in the answer makes the inbox send the code to the provider.
    const query = new URLSearchParams({
      code: 'made-up',
      state: searchParams.get('state') ?? '',
      iss: origin,
    });
    const own = typeof headers === 'function' ? headers() : headers;
    statuses.push((await browser.visit(`/sign-in/back?${query}`, 'GET', own)).status);
  }
  return statuses;
}

test('nothing is shown if the audit log cannot be written', async () => {
  const { browser, audit, log } = await signedIn();
  rmSync(audit, { recursive: true });
  const answer = await browser.visit('/');
  expect([answer.status, answer.body]).toEqual([503, expect.stringContaining('the request was rejected')]);
  expect(log).toEqual([['audit_failed', { reason: 'ENOENT' }]]);
});
