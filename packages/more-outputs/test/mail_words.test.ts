/** Contents and recipients of mails, other than SPEC's lines of `key=value`. */
import { contact, decodeMail, decodeWords, relayWith, smtpSink } from '../../../test/support/index.ts';

const fields = [
  { name: 'name', label: 'Your name' },
  { name: 'email', type: 'email' },
  {
    name: 'topics',
    type: 'checkboxes',
    options: [
      { value: 'a', label: 'Chairs' },
      { value: 'b', label: 'Tables' },
    ],
  },
  { name: 'terms', type: 'checkbox', label: 'I agree to the [terms](https://acme.example/terms).' },
  { name: 'message', type: 'textarea' },
];

const ann: readonly [string, string][] = [
  ['name', 'Ann Berg'],
  ['email', 'ann@b.example'],
  ['topics', 'a'],
  ['topics', 'b'],
  ['terms', 'on'],
  ['message', 'Hello,\r\nI need <b>twelve</b> chairs & more.\r\nSee https://evil.example'],
];

/** The mail of one submission, sent through one output to a test server. */
async function mailOf(output: object, values = ann, form: object = {}, env: Record<string, string> = {}) {
  const sink = await smtpSink();
  const relay = await relayWith({
    config: JSON.stringify({
      forms: {
        contact: {
          title: 'Contact us',
          fields,
          outputs: [
            { type: 'smtp', host: '127.0.0.1', port: sink.port, to: 'office@acme.example', ...output },
          ],
          ...form,
        },
      },
    }),
    env: { ...env, OFFICE: 'Büro <a@acme.example>, "Berg, Ann" <b@acme.example>' },
  });
  const { status } = await relay.submit(
    'contact',
    values.map(([name, value]) => [name, value]),
  );
  const [{ raw = '', envelope = { from: '', to: [] } } = {}] = sink.mails;
  const headers = new Map(decodeMail(raw).headers.map(([name, value]) => [name, decodeWords(value)]));
  return { status, relay, mails: sink.mails, raw, envelope, headers, text: decodeMail(raw).text };
}

/** The parts of a mail as HTML. */
function partsOf(raw: string): { readonly text: string; readonly html: string } {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(raw) ?? [];
  const [text = '', html = ''] = raw
    .split(`--${boundary}`)
    .slice(1)
    .map((part) => decodeMail(part.replace(/^\r\n/, '')).text);
  return { text, html };
}

const linksIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

describe('text', () => {
  test('reads as it is written: nothing changes its direction, or is a line break in only some programs', async () => {
    const { text } = await mailOf({ text: 'From {{ .fields.message }}.\n\n\nBye\u2028now' }, [
      ['message', 'a\u202eb\u2066c\u0000d\u001b[31me\ud83df\rg\u0085h\u2029i\vj'],
    ]);
    expect(text).toBe('From abcd[31me\ufffdf\ng\nh\ni\nj.\n\n\nBye\nnow\n');
  });

  test.each([
    ['text', { text: 'Name: {{ .fields.name }}, {{ .labels.name }}, {{ join "" (values "name") }}' }],
    ['intro', { html: true, intro: '{{ .fields.name }}\n\n{{ .labels.name }}' }],
    ['footer', { html: true, footer: '{{ trim .fields.name }}' }],
  ])('a value of one line starts no line of %s', async (_, output) => {
    for (const line of ['\r\n', '\n', '\v', '\u0085', '\u2028']) {
      const { raw, text } = await mailOf(output, [['name', `Ann${line}E-mail: evil@x.example`]]);
      const plain = 'html' in output ? partsOf(raw).text : text;
      expect(plain).toContain('Ann E-mail: evil@x.example');
      expect(plain).not.toMatch(/^E-mail: evil/m);
    }
  });
});

describe('html', () => {
  test('shows each field under its label, in the form’s order, with the same as text in an alternative part', async () => {
    const { raw } = await mailOf({ html: true, intro: 'New https://acme.example/crm:', footer: 'Bye' });
    const { text, html } = partsOf(raw);
    // A label that is a sentence gets no colon.
    expect(text).toContain('\nI agree to the terms. ✓\n');
    for (const part of [text, html]) {
      const places = [
        ...['Contact us', 'New', 'Your name', 'Ann Berg', 'Chairs', 'Tables', 'I agree to the terms'],
        ...['Bye'],
      ].map((words) => part.indexOf(words));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    }
    expect(html).toContain('&lt;b&gt;twelve&lt;/b&gt; chairs &amp; more.');
    expect(linksIn(html)).toEqual(['https://acme.example/crm']);
  });

  test.each([
    ['text', '*', []],
    ['text', 'https://other.example', []],
    ['a link', 'https://shop.example', ['https://shop.example/boots']],
  ])('names the page: %s where ALLOWED_ORIGINS is %s', async (_, ALLOWED_ORIGINS, links) => {
    const values: [string, string][] = [...ann, ['_page_url', 'https://shop.example/boots']];
    const { raw } = await mailOf({ html: true }, values, { page: true }, { ALLOWED_ORIGINS });
    for (const part of Object.values(partsOf(raw))) expect(part).toContain('shop.example/boots');
    expect(linksIn(partsOf(raw).html)).toEqual(links);
  });
});

describe('recipients', () => {
  test.each([
    ['Ann Berg', 'Ann Berg <ann@b.example>'],
    ['Berg, "Ann"', '"Berg, Ann" <ann@b.example>'],
    ['Änne 👋', 'Änne 👋 <ann@b.example>'],
    ['x\r\nBcc: evil@x.example', '"x Bcc: evil@x.example" <ann@b.example>'],
    ['=?utf-8?q?evil?=', '"= ?utf-8?q?evil?=" <ann@b.example>'],
    ['a <evil@x.example>', '"a evil@x.example" <ann@b.example>'],
    ['', 'ann@b.example'],
  ])('reply_to_name: %j', async (name, expected) => {
    const { headers, envelope } = await mailOf(
      { reply_to: '{{ .fields.email }}', reply_to_name: '{{ .fields.name }}', mapping: '*' },
      Object.entries({ name, email: 'ann@b.example' }),
    );
    expect(headers.get('Reply-To')).toBe(expected);
    expect(envelope.to).toEqual(['office@acme.example']);
  });

  test('a visitor’s name cannot form somebody else’s address, however long it is', async () => {
    const to = 'office@acme.example, {{ .fields.name }} <{{ .fields.email }}>';
    for (const length of [0, 15, 16, 17, 40]) {
      const { envelope } = await mailOf({ to, mapping: '*' }, [
        ['name', 'n'.repeat(length)],
        ['email', 'evil@x.example'],
      ]);
      expect(envelope.to).toEqual(['office@acme.example']);
    }
  });

  test('a fixed name before an address from a visitor', async () => {
    const to = 'office@acme.example, Customer < {{ .fields.email }} >';
    expect((await mailOf({ to, mapping: '*' })).headers.get('To')).toBe(
      'office@acme.example, Customer <ann@b.example>',
    );
    for (const email of [
      'a@b.example>, evil@x.example',
      'a@b.example, evil@x.example',
      'x> <evil@x.example',
    ]) {
      const { envelope } = await mailOf({ to, mapping: '*' }, [['email', email]]);
      expect(envelope.to ?? []).not.toContain('evil@x.example');
    }
  });
});

test('.labels contains the chosen options in the visitor’s words', async () => {
  const text = '{{ .labels.topics }} ({{ .fields.topics }}), {{ .labels.name }}{{ .labels.email }}';
  expect((await mailOf({ text, subject: '{{ .labels.topics }}' })).text).toBe(
    'Chairs, Tables (a,b), Ann Bergann@b.example\n',
  );
  expect((await mailOf({ text }, [])).text).toBe(' (), \n');
});

test('.labels also covers countries, ratings and scales, and for a box its sent value', async () => {
  const form = await contact({
    fields:
      '[{name: land, type: country}, {name: stars, type: rating}, {name: likely, type: scale}, {name: ok, type: checkbox}, {name: n, type: number}]',
    outputs: `[{type: http_post, url: $sink, static: {said: "{{ .labels.land }}; {{ .labels.stars }}; {{ .labels.likely }}; {{ .labels.ok }}; {{ .labels.n }}"}}]`,
  });
  await form.send(['land', 'DE'], ['stars', '4'], ['likely', '0'], ['ok', 'on'], ['n', '1500']);
  expect(form.delivered).toEqual([[['said', 'Germany; 4 of 5; 0 of 10; on; 1500']]]);
});
