/** A relay below a path of a site: behind nginx, which may strip the path; the relay knows the path from PUBLIC_URL or a header. */
import { openNewsletter } from '../../packages/visitor-mails/test/mails/newsletter.ts';
import { relayWith } from '../support/index.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';

const site = 'https://www.example.com';
const below = `${site}/forms/api/v1/`;
const byUrl = { PUBLIC_URL: `${site}/forms/` };
const byHeader = { PUBLIC_URL: site, TRUSTED_PROXIES: '127.0.0.1' };

const ways = {
  'stripped, by PUBLIC_URL': { env: byUrl, to: '/', header: '' },
  'not stripped, by PUBLIC_URL': { env: byUrl, to: '', header: '' },
  'stripped, by X-Forwarded-Prefix': { env: byHeader, to: '/', header: '/forms' },
  'not stripped, by X-Forwarded-Prefix': { env: byHeader, to: '', header: '/forms/' },
};

async function open({ env, to, header }: (typeof ways)[keyof typeof ways]) {
  const secrets = { RECEIPT_SECRET: 'r'.repeat(40) };
  const forms = `
  page:
    receipt: true
    fields: [{name: name, required: true}, {name: kind, visible_when: {field: name, contains: x}}, {name: heat, type: range}]
    outputs: [{type: http_post, url: 'http://127.0.0.1:9/', on_error: continue, retries: 0}]`;
  const relay = await openNewsletter({ env: { ...env, ...secrets }, forms });
  const prefix = header && `proxy_set_header X-Forwarded-Prefix ${header};`;
  const nginx = await startNginx(
    (socket) => `server { listen unix:${socket}; location /forms/ {
      ${prefix} proxy_set_header Host $host; proxy_pass ${relay.origin}${to}; } }`,
  );
  onTestFinished(nginx.stop);
  const ask = (address: string, headers: object = {}, body?: string) => {
    const { pathname, search, origin } = new URL(address);
    expect(origin).toBe(site);
    const type = body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' };
    const method = body === undefined ? 'GET' : 'POST';
    return nginx.ask({
      path: pathname + search,
      method,
      body,
      headers: { host: 'www.example.com', ...type, ...headers },
    });
  };
  return { relay, ask };
}

/** URLs in the markup, resolved as by a browser. */
const addressesIn = (markup: string, base: string) =>
  [...markup.matchAll(/ (?:action|src|href|hx-get|hx-post)="(?!data:)([^"#][^"]*)"/g)].map(
    ([, found = '']) => new URL(found.replaceAll('&amp;', '&'), base).href,
  );

test.skipIf(!hasNginx).each(Object.entries(ways))(
  'below a path that is %s, every URL leads to the relay',
  async (_, way) => {
    const { relay, ask } = await open(way);
    const address = `${site}/forms/f/page`;
    const page = await ask(address);
    expect((await ask(`${below}form/page?as=page`)).body).toBe(page.body);
    expect(addressesIn(page.body, address)).toEqual([`${below}form.js`, `${below}submit/page?as=page`]);
    const [, parts = ''] = /data-parts="([^"]*)"/.exec(page.body) ?? [];
    expect(parts.split(' ')).toEqual(['range', 'conditions']);
    for (const file of [
      'form.js',
      'form.css',
      'receipts.json',
      ...parts.split(' ').map((part) => `${part}.js`),
    ])
      expect([file, (await ask(below + file)).status]).toEqual([file, 200]);
    for (const path of ['healthz', 'readyz']) expect((await ask(`${site}/forms/${path}`)).status).toBe(200);
    for (const path of ['', '/', '/nothing', '/api/v1', '/api/v1/nothing/page'])
      expect([path, (await ask(`${site}/forms${path}`)).status]).toEqual([path, path === '' ? 301 : 404]);
    // A page of this site, one of another site, and htmx there.
    const own = await ask(`${below}form/page`, { 'sec-fetch-site': 'same-origin' });
    expect(addressesIn(own.body, site)).toContain(`${below}submit/page`);
    const other = await ask(`${below}form/page`, {
      'sec-fetch-site': 'cross-site',
      origin: 'https://other.example',
    });
    expect(other.body).toContain(`hx-post="${below}submit/page"`);
    // The typed values stay, and the form can be resent.
    const action = `${below}submit/page?as=page`;
    const wrong = await ask(action, {}, 'name=');
    expect([wrong.status, addressesIn(wrong.body, action)]).toEqual([422, [`${below}form.js`, action]]);
    const sent = await ask(action, {}, 'name=Ada');
    const next = new URL(sent.headers.location ?? '', action).href;
    expect([sent.status, next.startsWith(`${below}sent/page?`), (await ask(next)).status]).toEqual([
      303,
      true,
      200,
    ]);
    expect((await ask(`${below}check/page`, {}, 'name=Ada')).status).toBe(204);
    // The link in a mail.
    await ask(`${below}submit/news`, {}, 'email=ada@visitor.example');
    expect(relay.link).toMatch(/^\/forms\/api\/v1\/confirm\/news\?t=/);
    const link = site + relay.link;
    const confirm = await ask(link);
    const [button = ''] = addressesIn(confirm.body, link);
    expect([confirm.status, button]).toEqual([200, `${below}confirm/news`]);
    const confirmed = await ask(button, {}, `t=${relay.sealed}`);
    expect([confirmed.status, relay.list.requests.length]).toEqual([303, 1]);
    expect((await ask(new URL(confirmed.headers.location ?? '', button).href)).status).toBe(200);
  },
);

const config =
  'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';
const actionIn = (markup: string) => / action="([^"]*)"/.exec(markup)?.[1];

const hostile = [
  ...['//evil.example', '/\\evil.example', 'https://evil.example', 'evil', '/a//b', '/a/../b', '/%2e%2E'],
  ...['/a?b', '/a b', '/"'],
];

test.each([
  ['of no proxy', {}, ['/evil', ...hostile]],
  ['while there is none', { TRUSTED_PROXIES: 'none' }, ['/evil', ...hostile]],
  ['of another', { TRUSTED_PROXIES: '192.0.2.1' }, ['/evil', ...hostile]],
  ['that leads elsewhere', { TRUSTED_PROXIES: '127.0.0.1' }, ['/', ...hostile, '/evil, //evil.example']],
  ['beside PUBLIC_URL with a path', { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: `${site}/forms` }, ['/evil']],
])('a prefix %s affects no URL', async (_, env, prefixes) => {
  const relay = await relayWith({ config, env });
  const base = 'PUBLIC_URL' in env ? '/forms' : '';
  for (const prefix of prefixes) {
    const page = await relay.get('/api/v1/form/contact?as=page', { 'x-forwarded-prefix': prefix });
    expect([prefix, actionIn(page.text)]).toEqual([prefix, `${base}/api/v1/submit/contact?as=page`]);
    expect(page.text.includes('evil')).toBe(false);
  }
});

test('the nearest proxy sets the prefix, whatever the client sends', async () => {
  const relay = await relayWith({ config, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const page = await relay.get('/api/v1/form/contact?as=page', { 'x-forwarded-prefix': '/evil, /api' });
  expect(actionIn(page.text)).toBe('/api/api/v1/submit/contact?as=page');
  expect((await relay.get('/api/api/v1/form.js', { 'x-forwarded-prefix': '/api' })).status).toBe(200);
});
