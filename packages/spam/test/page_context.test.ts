/** A form with `page: true` records the page that contains it. */
import fc from 'fast-check';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { contact, relayWith, smtpSink } from '../../../test/support/index.ts';
import { pageOf } from '../src/page/index.ts';

const statics =
  'static: {url: "{{ .page.url }}", title: "{{ .page.title }}", source: "{{ .page.query.utm_source }}", medium: "{{ .page.query.utm-medium }}"}';

async function start({
  keys = 'page: true,',
  fields = '[{name: name}]',
  type = 'http_post',
  output = statics,
} = {}) {
  let status = 200;
  const relay = await contact({
    fields,
    outputs: `[{type: ${type}, url: "$origin/hook", ${output}}]`,
    keys,
    answer: () => ({ status }),
    env: { FORM_TOKEN_SECRET: 'not so secret' },
  });
  const { sink } = relay;
  const post = (pairs: Record<string, string>, headers: Record<string, string> = {}, query = '') =>
    relay.post(`/api/v1/submit/contact${query}`, pairs, headers);
  const got = () => Object.fromEntries(new URLSearchParams(sink.requests.at(-1)?.body));
  const fail = () => {
    status = 500;
  };
  return { relay, sink, post, got, fail };
}

const page = 'https://shop.example/boots?utm_source=news&utm-medium=mail&utm_source=may#fragment';

test('templates read the address, the title and the query, as the page reports them', async () => {
  const { post, got } = await start();
  const answer = await post({ name: 'Ada', _page_url: page, _page_title: ' Red boots ' });
  expect([answer.status, answer.json]).toEqual([200, { message: 'ok' }]);
  expect(got()).toEqual({
    url: 'https://shop.example/boots?utm_source=news&utm-medium=mail&utm_source=may',
    title: 'Red boots',
    source: 'news,may',
    medium: 'mail',
  });
});

test.each([
  ['links: optional,', 'https://shop.example/boots?utm_source=news'],
  ['', 'https://shop.example/boots?fill=x&utm_source=news&fill=AbC'],
])('a form with %j: a link that fills in the form reaches no output', async (keys, url) => {
  const { post, got } = await start({ keys: `page: true, ${keys}` });
  const opened = 'https://shop.example/boots?fill=x&utm_source=news&fill=AbC';
  const ways: readonly Parameters<typeof post>[] = [
    [{ _page_url: opened }],
    [{}, { 'hx-current-url': opened }],
    [{}, { referer: opened }],
  ];
  for (const [values, headers] of ways) {
    await post({ name: 'Ada', ...values }, headers);
    expect(got()).toMatchObject({ url, source: 'news' });
  }
});

test('the fields that report the page reach no output, whatever the mapping names', async () => {
  const { post, got } = await start({ output: 'mapping: {name: name, a: _page_url, b: _page_title}' });
  await post({ name: 'Ada', _page_url: page, _page_title: 'Boots' });
  expect(got()).toEqual({ name: 'Ada' });
});

test('if the page reports nothing, the browser’s Referer counts, if it names more than the site', async () => {
  const { post, got, sink } = await start({
    output: statics.replace('static: {', 'static: {at: "{{ .form.id }}", '),
  });
  const from = async (referer: string, pairs = {}) => {
    await post({ name: 'Ada', ...pairs }, { referer });
    return got().url;
  };
  expect(await from('https://shop.example/boots?utm_source=x')).toBe(
    'https://shop.example/boots?utm_source=x',
  );
  expect(got().source).toBe('x');
  expect(await from('https://shop.example/?utm_source=x')).toBe('https://shop.example/?utm_source=x');
  for (const origin of ['https://shop.example/', 'https://shop.example', '', 'about:srcdoc', 'boots'])
    expect(await from(origin)).toBeUndefined();
  // The submit endpoint does not count as a page, but the relay's own page with the form does.
  expect(await from('https://forms.example/api/v1/submit/contact?as=page')).toBeUndefined();
  expect(await from('https://forms.example/api/v1/form/contact?as=page&utm_source=x')).toContain(
    'utm_source=x',
  );
  // An address that is not a web page is ignored.
  expect(await from('https://shop.example/boots', { _page_url: 'about:srcdoc' })).toBe(
    'https://shop.example/boots',
  );
  expect(sink.requests).toHaveLength(10);
});

test('a form sent by htmx without page fields has the address that htmx reports', async () => {
  const { post, got } = await start();
  const headers = { 'hx-request': 'true', 'hx-current-url': page, referer: 'https://shop.example/socks' };
  await post({ name: 'Ada' }, headers);
  expect(got().source).toBe('news,may');
  await post({ name: 'Ada', _page_url: 'https://shop.example/hats' }, headers);
  expect(got()).toEqual({ url: 'https://shop.example/hats' });
});

test('a form without `page` gets no page, and may use these field names', async () => {
  const { post, got } = await start({
    keys: '',
    fields: '[{name: name}, {name: _page_url}]',
    output: `mapping: "*", ${statics}`,
  });
  await post({ name: 'Ada', _page_url: 'mine', _page_title: 'Boots' }, { referer: page });
  expect(got()).toEqual({ name: 'Ada', _page_url: 'mine' });
});

test('the page adds no recipient, sender or line to a mail', async () => {
  const sink = await smtpSink();
  const relay = await relayWith({
    config: `forms: {contact: {page: true, fields: [{name: name}], outputs: [{type: smtp, host: 127.0.0.1, port: ${sink.port},
      to: 'office@firm.example, {{ .page.query.team }}@firm.example, {{ .page.title }}', reply_to: '{{ .page.query.reply }}',
      subject: 'From {{ .page.title }}', static: {page: '{{ .page.url }}'}, mapping: "*"}]}}`,
  });
  const send = (url: string, title: string) =>
    relay.submit('contact', { name: 'Ada', _page_url: url, _page_title: title });
  const hostile =
    'https://a.example/?team=eve%2525other.example,eve@other.example&reply=a@a.example,b@b.example';
  expect((await send(hostile, 'a@other.example, =?utf-8?q?b@other.example?=')).status).toBe(200);
  expect((await send('https://a.example/?team=eve%25other.example', 'x!y@other.example')).status).toBe(200);
  expect((await send('https://a.example/?team=sales', 'x')).status).toBe(200);
  expect(sink.mails.map(({ envelope }) => envelope.to)).toEqual([
    ['office@firm.example'],
    ['office@firm.example'],
    ['office@firm.example', 'sales@firm.example'],
  ]);
  const [first] = sink.mails.map(({ raw }) => raw);
  expect(first).not.toMatch(/^Reply-To/im);
  expect(first).toContain('= ?utf-8?q?');
});

test('a page of the relay’s own keeps the page that linked to it, and never reports its own address', async () => {
  const { post, got, relay } = await start({ fields: '[{name: name, required: true}]' });
  const hidden = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="(_page\w+)" value="([^"]*)">/g)].map(
        ([, name, value]) => [name, value],
      ),
    );
  // The page's own form, in a browser without scripts.
  const shown = await post({ name: '' }, { referer: 'https://shop.example/boots?a=1&b=2' }, '?as=page');
  expect([shown.status, hidden(shown.text)]).toEqual([
    422,
    { _page_url: 'https://shop.example/boots?a=1&amp;b=2', _page_title: '' },
  ]);
  // A script's request, whose page the relay did not see.
  const again = await post({ name: '', _page_url: page, _page_title: '"Boots" <now>' }, {}, '?as=page');
  expect(hidden(again.text)).toEqual({
    _page_url: 'https://shop.example/boots?utm_source=news&amp;utm-medium=mail&amp;utm_source=may',
    _page_title: '&#34;Boots&#34; &lt;now&gt;',
  });
  const own = `${relay.origin}/api/v1/submit/contact?as=page`;
  await post({ name: 'Ada', _page_url: 'https://shop.example/boots?a=1&b=2' }, { referer: own }, '?as=page');
  expect(got().url).toBe('https://shop.example/boots?a=1&b=2');
  // An unknown page stays unknown.
  const unknown = await post({ name: '' }, { referer: own }, '?as=page');
  expect(hidden(unknown.text)).toEqual({});
});

test('a form shown again by htmx keeps what was sent, and steps are checked as always', async () => {
  const { post, relay } = await start({
    keys: 'page: true, steps: [{title: One, fields: [name]}, {title: Two, fields: [note]}],',
    fields: '[{name: name, required: true}, {name: note}]',
  });
  const fragment = await post({ _page_url: page, _page_title: 'Boots' }, { 'hx-request': 'true' });
  expect(fragment.status).toBe(422);
  expect(fragment.text).toContain('name="_page_url" value="https://shop.example/boots?');
  expect(fragment.text).toContain('name="_page_title" value="Boots"');
  expect((await relay.post('/api/v1/check/contact?step=1', 'name=Ada&_page_url=nothing')).status).toBe(204);
});

test('the log does not contain the page', async () => {
  const { post, relay, fail } = await start();
  fail();
  await post(
    { _page_url: 'https://shop.example/sesame', _page_title: 'Sesame' },
    { referer: 'https://shop.example/sesame' },
  );
  expect(relay.logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(relay.logged)).not.toMatch(/sesame/i);
});

test('every address parses to itself, and every value is on one line', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['https://', 'http://', 'a.example', '/', '?', '#', '&', '=', '@', ':', '%0A', '\n', '\u202e'],
      ...[' ', 'ü'],
    ),
    fc.string({ unit: 'binary' }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  await holds({ ...runs(50) }, [text, text, text], (url, title, referer) => {
    const found = pageOf(
      new Map([
        ['_page_url', [url]],
        ['_page_title', [title]],
      ]),
      { referer, 'hx-current-url': title },
    );
    if (!found) return;
    expect(new URL(found.url).href).toBe(found.url);
    expect(found.url).toMatch(/^https?:\/\/[^@/]+\//);
    expect(found.url.length).toBeLessThanOrEqual(2_000);
    for (const shown of [found.url, found.title, ...[...found.query.values()].flat()])
      expect(shown).not.toMatch(/[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
    expect(found.title.length).toBeLessThanOrEqual(200);
  });
});
