/** `look`: a form's own page, its style on sites, and mistakes in a design. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { relayWith, smtpSink, tempFolder } from '../../../test/support/index.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import { contrast, paletteOf, readableOn, unreadableIn } from '../src/look/style.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const form = 'fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]';

/** @param look Lines of the top-level `look`. */
async function staged(look: string, ofContact = '{}', env: Record<string, string> = {}) {
  const folder = tempFolder();
  const files = {
    'logo.png': png,
    'evil.svg': svg,
    'page.png': '<html></html>',
    'own.woff2': Buffer.from('wOF2 own'),
    'huge.jpg': Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(1_100_000)]),
    'webform.yaml': `look: ${look}\nforms:\n  contact: {title: Write to us, look: ${ofContact}, ${form}}\n  other: {title: Other, ${form}}\n`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const relay = await relayWith({ env: { CONFIG_FILE: join(folder, 'webform.yaml'), ...env } });
  const warnings = async () =>
    (await (await relay.relay.config.get())?.warnings())?.map(({ message }) => message);
  return { ...relay, warnings };
}

const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy') ?? '';

test('a form’s page has its own design, under a policy that allows nothing else', async () => {
  const at = await staged(
    '{name: Acme, logo: logo.png, cover: https://cdn.example/cover.jpg, accent: "#0f766e", corner: round, footer: "[Imprint](https://acme.example/)"}',
    '{accent: "b91c1c", font_file: own.woff2, description: Ask us., indexed: true}',
  );
  const page = await at.get('/f/contact');
  const [, , own = ''] = /<style>(.*?)<\/style>\n<style>(.*?)<\/style>/s.exec(page.text) ?? [];
  expect(own).toContain('--form-relay-accent:#b91c1c;--form-relay-on-accent:#ffffff;');
  expect(own).toMatch(/@media\(prefers-color-scheme:dark\)\{:root\{--form-relay-accent:#cf6565;/);
  const hash = createHash('sha256').update(own).digest('base64');
  expect(policyOf(page)).toMatch(new RegExp(`style-src [^;]*'sha256-${hash.replaceAll(/[+/]/g, '\\$&')}'`));
  expect(policyOf(page)).toContain("img-src data: 'self' https://cdn.example; font-src 'self'");
  const [, logo = ''] = /<img class="logo" src="([^"]+)" alt="Acme">/.exec(page.text) ?? [];
  expect(page.text).toContain('<img class="cover" src="https://cdn.example/cover.jpg" alt="">');
  expect(page.text).toContain('<footer><a href="https://acme.example/">Imprint</a></footer>');
  expect(page.text).not.toContain('noindex');
  const picture = await fetch(at.origin + logo);
  expect(Buffer.from(await picture.arrayBuffer())).toEqual(png);
  expect(Object.fromEntries(picture.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  });
  expect((await at.get(logo.replace(/\w{4}\.png/, '0000.png'))).status).toBe(404);
  const other = await at.get('/f/other');
  expect(other.text).toContain('--form-relay-accent:#0f766e');
  expect(other.text).toContain('<meta name="robots" content="noindex">');
});

test('a design’s files come from the config’s bucket, and a config without sibling files has a page without images', async () => {
  const s3 = await startS3();
  const text = `look: {logo: look/logo.png, accent: "#0f766e"}\nforms: {contact: {${form}}}`;
  await s3.put('live/webform.yaml', text);
  await s3.put('live/look/logo.png', png);
  const env = {
    ...account,
    CONFIG_BUCKET: 'configs',
    CONFIG_KEY: 'live/webform.yaml',
    AWS_ENDPOINT_URL: s3.origin,
  };
  const at = await relayWith({ env });
  const shown = await vi.waitFor(async () => {
    const page = await at.get('/f/contact');
    expect(page.status).toBe(200);
    return page.text;
  });
  const [, logo = ''] = /<img class="logo" src="([^"]+)"/.exec(shown) ?? [];
  expect(Buffer.from(await (await fetch(at.origin + logo)).arrayBuffer())).toEqual(png);
  const inline = await relayWith({ env: { CONFIG_INLINE: text } });
  const page = await inline.get('/f/contact');
  expect(page.text).toContain('--form-relay-accent:#0f766e');
  expect(page.text).not.toContain('class="logo"');
  const [{ message } = { message: '' }] = (await (await inline.relay.config.get())?.warnings()) ?? [];
  expect(message).toContain('this config is not a file, so it cannot refer to files beside it');
});

test('form.css?form=NAME adds only that form’s design', async () => {
  const at = await staged('{accent: "#0f766e"}', '{font: serif, font_file: own.woff2, mode: light}');
  const plain = await at.get('/api/v1/form.css');
  expect((await at.get('/api/v1/form.css?form=nothing')).text).toBe(plain.text);
  const { text, headers } = await at.get('/api/v1/form.css?form=contact');
  expect(headers.get('etag')).not.toBe(plain.headers.get('etag'));
  const own = text.slice(plain.text.length);
  expect(own).toContain(':is(#form-contact,relay-form[src$="/form/contact"],');
  expect(own).toContain('--form-relay-font:form-relay-own,Charter');
  expect(own).not.toMatch(/light-dark|other|--form-relay-text/);
  const [, font = ''] = /url\("([^"]+)"\)/.exec(own) ?? [];
  expect((await at.get(`/api/v1/${font}`)).headers.get('content-type')).toBe('font/woff2');
  expect((await at.get('/api/v1/form.css?form=other')).text).toContain('light-dark(#0f766e,');
});

test('an image that is invalid, missing, too large or active is reported, and the page works without it', async () => {
  const at = await staged(
    '{logo: evil.svg, cover: huge.jpg, icon: page.png, font_file: logo.png}',
    '{logo: nothing.png}',
  );
  expect(await at.warnings()).toEqual([
    'evil.svg contains a script, which browsers do not run here',
    'huge.jpg is 1.0 MB, which every visitor would load; the limit is 1 MB; this file is left out',
    'page.png is not a picture; expected PNG, JPEG, WebP, GIF or SVG; this file is left out',
    'logo.png is not a WOFF2 font; this file is left out',
    'nothing.png: the file does not exist; this file is left out',
  ]);
  const page = await at.get('/f/contact');
  expect([page.status, page.text.match(/<img/g)]).toEqual([200, null]);
  const [, drawn = ''] = /class="logo" src="([^"]+)"/.exec((await at.get('/f/other')).text) ?? [];
  expect(policyOf(await at.get(drawn))).toContain("default-src 'none'");
});

test('HTML mails about the form have its design, and visitors’ text is unchanged', async () => {
  const smtp = await smtpSink();
  const folder = tempFolder();
  writeFileSync(join(folder, 'logo.png'), png);
  const config = `look: {surface: "#fef3c7", accent: "#b91c1c", corner: square, font: serif, name: Acme, logo: logo.png}
forms: {contact: {fields: [{name: name}], outputs: [{type: smtp, host: 127.0.0.1, port: ${smtp.port}, to: a@b.example,
  mapping: "*", html: true, footer: "https://acme.example/"}]}}`;
  writeFileSync(join(folder, 'webform.yaml'), config);
  const env = { CONFIG_FILE: join(folder, 'webform.yaml') };
  const relay = await relayWith({ env: { ...env, PUBLIC_URL: 'https://forms.example.com' } });
  expect((await relay.submit('contact', { name: '#1b1b20 #ffffff' })).status).toBe(200);
  const [, html = ''] =
    /text\/html.*?\r\n\r\n(.*)/s.exec(
      smtp.mails[0]?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '',
    ) ?? [];
  expect(html).toMatch(/class="s" bgcolor="#fef3c7" style="[^"]*border-radius:0px/);
  expect(html).toContain('class="a" style="color:#b91c1c"');
  expect(html).toContain('font-family:Charter,');
  expect(html).toMatch(
    /<img class="g" src="https:\/\/forms\.example\.com\/api\/v1\/look\/\w{24}\.png" alt="Acme" height="48"/,
  );
  expect(html).toContain('.g{background:#fef3c7');
  const without = await relayWith({ env });
  expect((await without.submit('contact', { name: 'Ada' })).status).toBe(200);
  expect(smtp.mails[1]?.raw).not.toContain('<img');
  expect(html).toContain('#1b1b20 #ffffff</td>');
});

test('a shared URL has a preview, with URLs only if PUBLIC_URL is set', async () => {
  const look = '{name: Acme, description: Ask us., logo: logo.png}';
  const known = await (await staged(look, '{}', { PUBLIC_URL: 'https://forms.example.com' })).get(
    '/f/contact',
  );
  const content = (name: string) =>
    new RegExp(`(?:property|name)="${name}" content="([^"]*)"`).exec(known.text)?.[1];
  expect(
    ['og:title', 'og:url', 'og:site_name', 'og:description', 'description', 'twitter:card'].map(content),
  ).toEqual([
    ...['Write to us', 'https://forms.example.com/f/contact', 'Acme', 'Ask us.', 'Ask us.', 'summary'],
  ]);
  expect(content('og:image')).toMatch(/^https:\/\/forms\.example\.com\/api\/v1\/look\/\w{24}\.png$/);
  expect((await (await staged(look)).get('/f/contact')).text).not.toMatch(/og:(url|image)/);
});

test('the page at / links to listed forms, and names no other', async () => {
  const at = await staged('{}', '{listed: true}');
  const page = await at.relay.handle({
    ...{ method: 'GET', path: '/', query: '', body: undefined },
    headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
  });
  expect(page.body).toContain('<a href="/f/contact">Write to us</a>');
  expect(page.body).not.toContain('other');
});

const colour = fc.integer({ min: 0, max: 0xffffff }).map((one) => `#${one.toString(16).padStart(6, '0')}`);

test('derived colours are readable for any accent and background', () =>
  holds(200, [colour, colour, fc.constantFrom('light', 'dark')], (accent, surface, mode) => {
    const palette = paletteOf(mode, { accent, surface });
    const { sheet, muted, error, success, onAccent, line } = palette;
    for (const one of [muted, error, success]) expect(contrast(one, sheet)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(line, sheet)).toBeGreaterThanOrEqual(3);
    expect(contrast(readableOn(sheet, accent), sheet)).toBeGreaterThanOrEqual(4.5);
    const inDark = paletteOf('dark', {}, { accent });
    expect(unreadableIn(inDark, {})).toEqual([]);
  }));
