/** Signals that ask no service and read no phrases, tested through a relay and its log. */
import { httpSink, relayWith } from '../../../../test/support/index.ts';
import { ok } from '../../../base/src/result.ts';

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'accept-language': 'de,en;q=0.7',
};

/** These tests check only these signals. */
const looked = new Set(['blocklist', 'repeated', 'program']);

interface Options {
  /** Keys of `spam`, besides `doubt`. */
  readonly spam: string;
  readonly fields?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** The status of the form's output. */
  readonly answer?: () => { readonly status: number };
}

/** A relay with one form, behind a proxy that names the client; and the points of each signal for a submission. */
async function doubting({ spam, files = {}, answer, ...options }: Options) {
  const sink = await httpSink(answer && { answer });
  const { fields = '[{name: email, type: email}, {name: message, type: textarea, required: true}]' } =
    options;
  const outputs = `[{type: http_post, url: "${sink.origin}", mapping: "*"}]`;
  const config = `forms: {contact: {fields: ${fields}, outputs: ${outputs}, spam: {doubt: observe, ${spam}}}}`;
  const texts: Record<string, string> = { 'webform.yaml': config, ...files };
  const relay = await relayWith({
    env: {
      CONFIG_FILE: 'webform.yaml',
      TRUSTED_PROXIES: '127.0.0.0/8',
      FORM_TOKEN_SECRET: 'a secret of many characters',
    },
    effects: {
      readFile: async (path) => ok({ text: texts[path] ?? '', modifiedAt: 0 }),
      sleep: async () => {},
    },
  });
  const points = async (
    values: Readonly<Record<string, string>>,
    { from = '192.0.2.1', headers = browser }: { from?: string; headers?: Record<string, string> } = {},
  ) => {
    await relay.submit('contact', Object.entries(values), { ...headers, 'x-forwarded-for': from });
    const line = relay.logged.findLast(({ event }) => event === 'submission');
    const all = Object.entries(line?.signals ?? {}) as [string, number][];
    return Object.fromEntries(all.filter(([signal]) => looked.has(signal)));
  };
  return { ...relay, points, texts, sink };
}

const off = 'program: 0, repeated: 0';

describe('blocklist', () => {
  const lists = '{words: words.txt, addresses: addresses.txt, domains: domains.txt}';
  const files = {
    'words.txt': 'first page of google\n',
    'addresses.txt': 'pest@example.com\n',
    'domains.txt': 'cheap.example\n*.xyz\n',
  };
  const staged = () => doubting({ spam: `signals: {${off}, blocklist: ${lists}}`, files });

  test.each([
    ['words', { message: 'You could be on the First Page\nof Google!' }],
    ['an address', { email: 'Pest+1@example.com', message: 'Hi' }],
    ['the domain of an address', { email: 'a@mail.cheap.example', message: 'Hi' }],
    ['the domain of a link', { message: 'Look at https://u:p@www.cheap.example:8443/a?b=c#d now' }],
    ['a domain in a sentence', { message: 'Look at cheap.example.' }],
    ['a domain below a top-level domain', { message: 'Look at (news.xyz)' }],
  ])('%s', async (_, values) => {
    const { points } = await staged();
    expect(await points(values)).toEqual({ blocklist: 6 });
  });

  test.each([
    ...[
      'Link:https://cheap.example/x',
      '\u{1f449}https://cheap.example',
      '请访问https://cheap.example/x查看',
    ],
    ...['请访问cheap.example查看', '<a href=https://cheap.example>here</a>'],
    ...['[url=https://cheap.example]here[/url]', '//cheap.example/x', 'https:/cheap.example'],
    ...['„cheap.example“ … *cheap.example*', 'cheap.example...', 'write to mail:pest@cheap.example!'],
    ...['https://example.com@cheap.example/', 'https://example.com/to?url=https%3A%2F%2Fcheap.example%2F'],
  ])('a domain, whatever surrounds it: %s', async (message) => {
    const { points } = await staged();
    expect(await points({ message })).toEqual({ blocklist: 6 });
  });

  test.each<Record<string, string>>([
    { email: 'call.xyz@example.com', message: 'or call.xyz+1@example.com, Call.xyz@example.com' },
    { email: 'ada@example.com', message: 'The first page of your site looks fine in Google' },
    { message: 'see notcheap.example or cheap.example.com' },
  ])('%j is fine', async (values) => {
    const { points } = await staged();
    expect(await points(values)).toEqual({});
  });

  test('a changed list applies from the next load; a broken one leaves the old list in place', async () => {
    const { points, texts, advance, logged } = await staged();
    const values = { message: 'A casino' };
    expect(await points(values)).toEqual({});
    texts['words.txt'] = 'casino\n';
    advance(30_000);
    await expect.poll(() => points(values)).toEqual({ blocklist: 6 });
    texts['addresses.txt'] = 'pest@example.com\nexample.com\n';
    advance(30_000);
    expect(await points(values)).toEqual({ blocklist: 6 });
    await expect
      .poll(() => logged.find(({ event }) => event === 'config_invalid')?.problems)
      .toEqual([
        'addresses.txt:2:1: expected a mail address, such as ada@example.com; whole domains belong in a list of domains',
      ]);
  });
});

describe('repeated', () => {
  const offer =
    'Hello, I came across your website and noticed that it could bring many more customers. ' +
    'Our team of experts helps companies such as yours to grow within weeks. Would you like a free offer?';
  const staged = (options: Partial<Options> = {}) =>
    doubting({ spam: `signals: {program: 0, repeated: 4}`, ...options });

  test('the same text from others adds more points each time', async () => {
    const { points } = await staged();
    const seen = [];
    for (const host of [1, 2, 3, 4, 5])
      seen.push(await points({ message: offer }, { from: `192.0.2.${host}` }));
    // Without a link, a text is never tagged for this alone.
    expect(seen).toEqual([{}, { repeated: 2 }, { repeated: 3 }, { repeated: 3 }, { repeated: 3 }]);
  });

  test('a sender who repeats a text is not a crowd, unless they keep repeating it', async () => {
    const { points } = await staged();
    const seen = [];
    for (let time = 0; time < 5; time += 1) seen.push(await points({ message: offer }));
    expect(seen).toEqual([{}, {}, {}, { repeated: 2 }, { repeated: 3 }]);
  });

  test('addresses of one /64 are one sender', async () => {
    const { points } = await staged();
    await points({ message: offer }, { from: '2001:db8:1:2::1' });
    expect(await points({ message: offer }, { from: '2001:db8:1:2:ffff::2' })).toEqual({});
    expect(await points({ message: offer }, { from: '2001:db8:1:3::1' })).toEqual({ repeated: 3 });
  });

  test('a submission that was returned for correction, or could not be delivered, does not count', async () => {
    let status = 500;
    const { points } = await staged({ answer: () => ({ status }) });
    await points({ email: 'no address', message: offer }, { from: '192.0.2.1' });
    await points({ message: offer }, { from: '192.0.2.2' });
    status = 200;
    expect(await points({ message: offer }, { from: '192.0.2.3' })).toEqual({});
    expect(await points({ message: offer }, { from: '192.0.2.4' })).toEqual({ repeated: 2 });
  });

  test('the field’s initial text does not count', async () => {
    const fields = `[{name: message, type: textarea, value: "${offer}"}]`;
    const { points } = await staged({ fields });
    await points({ message: `${offer} Yes please, on Monday` });
    expect(await points({ message: `${offer} No thanks` }, { from: '203.0.113.9' })).toEqual({});
  });
});

describe('program', () => {
  const staged = () => doubting({ spam: 'signals: {repeated: 0, program: 4}' });
  const agent = (text: string) => ({ ...browser, 'user-agent': text });
  const tor = 'Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0';
  const app =
    'Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Version/4.0 Chrome/128.0 Mobile Safari/537.36';

  test.each([
    ['a browser', browser, {}],
    ['Tor', { ...agent(tor), 'accept-language': 'en-US,en;q=0.5' }, {}],
    ['a page within an app', { ...agent(app), 'sec-ch-ua': '"Android WebView";v="128"' }, {}],
    ['behind a CDN that hides it', { 'user-agent': 'Amazon CloudFront' }, {}],
    ['curl', agent('curl/8.5.0'), { program: 4 }],
    ['a library', agent('python-requests/2.31.0'), { program: 4 }],
    ['Node', agent('node'), { program: 4 }],
    ['a browser that nobody looks at', agent('Mozilla/5.0 (X11) HeadlessChrome/120.0.0.0'), { program: 4 }],
    ['nothing', { 'user-agent': '', 'accept-language': 'de' }, { program: 4 }],
    ['one that claims to be Firefox', { ...browser, 'sec-ch-ua': '"Chromium";v="120"' }, { program: 4 }],
  ])('%s', async (_, headers, found) => {
    const { points } = await staged();
    expect(await points({ message: 'Hi' }, { headers })).toEqual(found);
  });
});
