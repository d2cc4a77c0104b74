import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { create } from 'qrcode/lib/core/qrcode.js';
import { type Answer, httpSink, relayWith, type TestRelay } from '../../../test/support/index.ts';
import { openTerminal } from './terminal.ts';

const html = { accept: 'text/html' };
const fromScript = { accept: 'text/html;profile=form-relay' };
const env = { FORM_TOKEN_SECRET: 'not so secret', PUBLIC_URL: 'https://www.acme.example/forms' };
const day = 86_400_000;

const fields = `
      - {name: name, required: true}
      - {name: email, type: email}
      - {name: plan, type: select, options: [{value: gold, label: The golden one}, silver]}
      - {name: topics, type: checkboxes, options: [boots, hats]}
      - {name: agree, type: checkbox}
      - {name: customer, type: hidden, from_query: false}
      - {name: cv, type: file, accept: [text]}
      - {name: to, type: address, countries: [DE]}
      - {name: guests, type: repeat, most: 2, fields: [{name: who, required: true}, {name: age, type: number}]}
      - {name: rated, type: grid, rows: [food, room], options: [good, bad]}
      - {name: code, pattern: "(?=(a+)+$)a*"}
      - {name: firm, visible_when: {field: plan, is: gold}, max_length: 4}
`;
const config = (links: string, url: string) => `
forms:
  contact:
    title: Write to us
    links: ${links}
    fields:${fields}
    outputs: [{type: webhook, url: "${url}", mapping: "*", files: none, allow_http: true}]
  plain:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${url}", mapping: "*"}]
`;

/** A relay, and a terminal on its machine. */
async function open(links = 'optional') {
  const sink = await httpSink();
  const yaml = config(links, `${sink.origin}/`).replace(', allow_http: true', '');
  const relay = await relayWith({ config: yaml, env });
  const terminal = await openTerminal({ files: { 'webform.yaml': yaml }, env });
  const link = async (words: string) => {
    const { stdout, stderr, code } = await terminal.run(`relay link ${words}`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('works until')]);
    return stdout.trim().replace(env.PUBLIC_URL, '');
  };
  return { ...relay, sink, terminal, link };
}

const fillOf = (link: string) => link.split('fill=')[1] ?? '';
const send = (
  at: TestRelay,
  values: Record<string, string>,
  as = 'application/problem+json',
): Promise<Answer> => at.submit('contact', Object.entries(values), { accept: as });

describe('relay link', () => {
  test('--qr writes the URL of the page, which never expires, as SVG and PNG', async () => {
    const { terminal } = await open();
    const address = `${env.PUBLIC_URL}/f/plain`;
    const { size, data } = create(address, { errorCorrectionLevel: 'M' }).modules;
    const wanted = Array.from({ length: size + 8 }, (_, y) =>
      Array.from({ length: size + 8 }, (_, x) =>
        x < 4 || y < 4 || x >= size + 4 || y >= size + 4 ? 0 : data[(y - 4) * size + x - 4],
      ),
    );
    for (const file of ['code.svg', 'code.png'])
      expect(await terminal.run(`relay link plain --qr ${file}`)).toMatchObject({
        stdout: `${address}\n`,
        stderr: `written: ${file}\n`,
      });
    const svg = await readFile(join(terminal.cwd, 'code.svg'), 'utf8');
    expect(svg).toContain('aria-label="plain: www.acme.example"');
    const drawn = wanted.map((row) => row.map(() => 0));
    for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
      drawn[Number(y)]?.fill(1, Number(x), Number(x) + Number(length));
    expect(drawn).toEqual(wanted);
    const png = await readFile(join(terminal.cwd, 'code.png'));
    const [side, at] = [png.readUInt32BE(16), png.indexOf('IDAT')];
    const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
    const [width, scale] = [1 + Math.ceil(side / 8), side / (size + 8)];
    const isDark = (x: number, y: number) =>
      ((rows[y * width + 1 + (x >> 3)] as number) >> (7 - (x & 7))) & 1 ? 0 : 1;
    expect(wanted.map((row, y) => row.map((_, x) => isDark(x * scale + 1, y * scale + 1)))).toEqual(wanted);
    expect((await terminal.run('relay link plain --qr code.gif')).stderr).toContain('.svg or .png');
    expect((await terminal.run('relay link contact name=Ada --qr sealed.svg')).stdout).toContain('?fill=');
  });

  test('fills in what the owner chose, for any field type, and the visitor may change it', async () => {
    const at = await open();
    const link = await at.link(
      `contact 'name=Ada "日本" <b>' plan=gold topics=hats topics=boots customer=17 'to={"city":"Ulm","country":"DE"}' 'guests=[{"who":"Bo"}]' --expires 7d`,
    );
    expect(link).toMatch(/^\/f\/contact\?fill=[\w-]+$/);
    expect(Buffer.from(fillOf(link), 'base64url').toString('latin1')).not.toContain('Ada');
    const { status, text, headers } = await at.get(link, html);
    expect(status).toBe(200);
    expect(text).toContain('value="Ada &#34;日本&#34; &lt;b&gt;"');
    expect(text).toContain('<option value="gold" selected>');
    expect(text.match(/ checked>/g)).toHaveLength(2);
    expect(text).toContain('name="customer" value="17"');
    expect(text).toMatch(/name="to.city"[^>]* value="Ulm"/);
    expect(text).toMatch(/name="guests.1.who"[^>]* value="Bo"/);
    expect(text).toContain(`<input type="hidden" name="fill" value="${fillOf(link)}">`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('strict-origin');
    await send(at, { name: 'Grace', plan: 'silver', fill: fillOf(link) });
    expect(JSON.stringify(at.sink.requests)).toContain('Grace');
    expect(JSON.stringify(at.sink.requests)).not.toContain('fill');
  });

  test('a locked value is shown as text, and taken from the link whatever is sent', async () => {
    const at = await open();
    const link = await at.link('contact name=Ada plan=gold customer=17 --locked plan --locked customer');
    for (const accept of [html, fromScript, { 'hx-request': 'true' }]) {
      const { text } = await at.get(link.replace('as=page&', accept === html ? 'as=page&' : ''), accept);
      expect(text).toContain('<p class="field-fixed">The golden one</p>');
      expect(text).toContain('<input type="hidden" name="plan" value="gold">');
      expect(text).not.toMatch(/<select[^>]* name="plan"/);
      expect(text).toContain('name="name"');
    }
    for (const sent of [{ plan: 'silver', customer: '1' }, {}, { plan: '<script>' }]) {
      expect((await send(at, { name: 'Ada', ...sent, fill: fillOf(link) } as never)).status).toBe(200);
      const body = at.sink.requests.at(-1)?.body ?? '';
      expect(body).toContain('gold');
      expect(body).toContain('17');
      expect(body).not.toMatch(/silver|script/);
    }
    // The form is shown again as it was, with its link.
    const again = await at.post('/api/v1/submit/contact?as=page', { name: '', fill: fillOf(link) }, html);
    expect(again.status).toBe(422);
    expect(again.text).toContain('The golden one</p>');
    expect(again.text).toContain(`name="fill" value="${fillOf(link)}"`);
  });

  test('with `required`, only submissions with a complete link that has not expired are accepted', async () => {
    const at = await open('required');
    const link = await at.link('contact plan=gold --locked plan --expires 1d');
    const fill = fillOf(link);
    const shown = await at.get('/api/v1/form/contact', html);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('This form opens only with the link that was sent to you.');
    expect(shown.text).not.toContain('<input');
    expect((await at.get(link, html)).text).toContain('name="name"');
    // On a page with several forms, another form's link may come first.
    expect((await at.get(link.replace('fill=', 'fill=other&fill='), html)).text).toContain(
      `name="fill" value="${fill}"`,
    );
    for (const wrong of [{}, { fill: fill.slice(1) }, { fill: `${fill}A` }, { fill: 'x'.repeat(9_000) }]) {
      const { status, json } = await send(at, { name: 'Ada', plan: 'silver', ...wrong } as never);
      expect([status, json]).toMatchObject([403, { code: 'link_missing' }]);
    }
    expect(at.sink.requests).toHaveLength(0);
    expect((await send(at, { name: 'Ada', plan: 'silver', fill })).status).toBe(200);
    expect(at.sink.requests[0]?.body).toContain('gold');
    const both = ['other', fill, 'other'].map((one): [string, string] => ['fill', one]);
    expect((await at.submit('contact', [...both, ['name', 'Ada']])).status).toBe(200);
    at.advance(day + 1);
    expect((await at.get(link, html)).text).toContain('This link has expired. Please request a new one.');
    const late = await send(at, { name: 'Ada', fill });
    expect([late.status, late.json]).toMatchObject([403, { code: 'link_expired' }]);
    expect(at.logged.find(({ outcome }) => outcome === 'link_needed')).toMatchObject({
      reason: 'the link is missing or incomplete',
    });
  });

  test('a link that expired, is cut, or is for another form fills in nothing and says so', async () => {
    const at = await open();
    const link = await at.link('contact name=Ada --expires 1h');
    const cut = await at.get(link.slice(0, -3), html);
    expect(cut.text).toContain('This link is not complete');
    expect(cut.text).not.toContain('Ada');
    at.advance(2 * 3_600_000);
    const late = await at.get(link, html);
    expect(late.status).toBe(200);
    expect(late.text).toContain('This link has expired. You can fill in the form again.');
    expect(late.text).not.toContain('Ada');
    expect((await at.get(`/api/v1/form/plain?fill=${fillOf(link)}`, html)).text).not.toContain('expired');
  });

  test.each([
    ['contact to=Berlin', 'to: this is not JSON: '],
    [`contact 'to={"city":"Ulm"'`, 'at position 13'],
    [`contact name=$(head -c 3000 /dev/urandom | base64 -w0)`, 'mail programs cut links after 2000'],
  ])('relay link %s: %s', async (words, said) => {
    const { terminal } = await open();
    const { stdout, stderr, code } = await terminal.run(`relay link ${words}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(said);
  });

  test('a page of your own', async () => {
    const { terminal } = await open();
    const { stdout, code } = await terminal.run(
      `relay link contact plan=gold --page 'https://acme.example/contact?fill=old&a=1#form'`,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^https:\/\/acme\.example\/contact\?a=1&fill=[\w-]+#form\n$/);
  });

  test('without the secret or an address, no link is made', async () => {
    for (const [unset, said] of [
      ['FORM_TOKEN_SECRET', 'FORM_TOKEN_SECRET is not set'],
      ['PUBLIC_URL', 'PUBLIC_URL is not set'],
    ] as const) {
      const { terminal } = await open();
      const { stderr, code } = await terminal.run(
        `env -u ${unset} relay link contact`.replace(/^env -u (\w+)/, 'unset $1;'),
      );
      expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
    }
  });
});
