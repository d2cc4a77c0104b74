/** Visitors' input is returned as text: never as markup in a form, as a header or as a template. */
import { parse } from 'parse5';
import { contact, httpSink, relayWith, type TestRelay } from '../support/index.ts';
import { answersIn, exchange } from './stage.ts';

const payloads = [
  '<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><svg onload=alert(1)>",
  '\x00"><b>',
  '<!--',
  '</textarea><script>alert(1)</script>',
  '</option></select><b>',
  '</noscript><img src=x onerror=alert(1)>',
  ...['" onfocus=alert(1) autofocus x="', "' onmouseover='alert(1)", '` onclick=`alert(1)', ']]>', '&notit;'],
  ...['&lt;script&gt;', '&#60;script&#62;', '&', 'javascript:alert(1)', '\u2028<b>', '+ADw-script+AD4-'],
  '{{ env "KEY" }}',
  '<%= 7*7 %>',
  '"><div hx-get="/evil" hx-trigger="load">',
  '"><input name="_ts" value="x">',
  '</form><form action="https://evil.test">',
  '"><meta http-equiv="refresh" content="0;url=https://evil.test">',
];

interface Node {
  readonly nodeName: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
  readonly content?: Node;
}

/** A page's elements with their attribute names, which injected markup would change. */
function skeleton(markup: string): readonly string[] {
  const found: string[] = [];
  const walk = ({ nodeName, attrs = [], childNodes = [], content }: Node) => {
    found.push([nodeName, ...attrs.map(({ name }) => name)].join(' '));
    for (const node of [...childNodes, ...(content ? [content] : [])]) walk(node);
  };
  walk(parse(markup) as unknown as Node);
  // Empty values leave no text node.
  return found.filter((line) => line !== '#text');
}

const everyKind = `[{name: t}, {name: e, type: email}, {name: a, type: textarea}, {name: h, type: hidden}, {name: u, type: url}, {name: p, type: tel},
  {name: n, type: number}, {name: d, type: date}, {name: s, type: select, options: [x, y]}, {name: r, type: radios, options: [x, y]},
  {name: c, type: checkboxes, options: [x, y]}, {name: b, type: checkbox}, {name: needed, required: true}]`;
const kinds = 'teahupndsrcb';

/** Requests a path as a browser navigates there; `fetch` requests it as a script. */
async function navigate({ relay }: TestRelay, path: string, query: string) {
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
  const answer = await relay.handle({ method: 'GET', path, query, headers, body: undefined });
  return { status: answer.status, headers: new Headers(answer.headers), text: answer.body };
}

describe('a form that is shown again has the same elements and attributes, whatever was sent', () => {
  const stage = async () => {
    const sink = await httpSink();
    const config = `forms: {contact: {title: A title, redirect: "https://forms.example/thanks", spam: {honeypot: hp, min_fill_seconds: 1}, fields: ${everyKind}, outputs: [{type: http_post, url: "${sink.origin}"}]}}`;
    return relayWith({ config, env: { FORM_TOKEN_SECRET: 'x', KEY: 'S3CRET' } });
  };
  // A harmless value of the same kind: valid only as text.
  const harmless = 'a harmless value';

  test.each(payloads)('%j', async (payload) => {
    const relay = await stage();
    const shown = async (value: string) => {
      const query = [...kinds].map((name) => `${name}=${encodeURIComponent(value)}`).join('&');
      const names = `${encodeURIComponent(value)}=${encodeURIComponent(value)}&hp=&_ts=${encodeURIComponent(value)}`;
      const token = /name="_ts" value="([^"]*)"/.exec((await relay.get('/api/v1/token/contact')).text)?.[1];
      relay.advance(2_000);
      const body = `${query}&${encodeURIComponent(value)}=x&_ts=${token}`;
      return [
        await relay.get(`/api/v1/form/contact?${query}&${names}`),
        await navigate(relay, '/api/v1/form/contact', `${query}&${names}`),
        await relay.submit('contact', body, { 'HX-Request': 'true' }),
        await relay.submit('contact', body, { Accept: 'text/html' }),
      ];
    };
    const [before, after] = [await shown(harmless), await shown(payload)];
    expect(after.map(({ status }) => status)).toEqual([200, 200, 422, 422]);
    // A value that is valid for its kind has one message less.
    const isUrl = URL.canParse(payload) && /^https?:/.test(payload);
    if (!isUrl)
      expect(after.map(({ text }) => skeleton(text))).toEqual(before.map(({ text }) => skeleton(text)));
    for (const { text, headers } of after) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).not.toContain('S3CRET');
    }
    // The pages allow no scripts, even if one were injected.
    for (const { headers } of [after[1], after[3]].filter((answer) => answer !== undefined))
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  });
});

test.each(payloads)('%j as the name of a form and in its path', async (payload) => {
  const relay = await relayWith({ config: 'forms: {}' });
  for (const headers of [{ 'HX-Request': 'true' }, { Accept: 'text/html' }, {}] as Record<string, string>[]) {
    for (const path of ['form', 'token', 'nosuch']) {
      const answer = await relay.get(
        `/api/v1/${path}/${encodeURIComponent(payload)}?${encodeURIComponent(payload)}`,
        headers,
      );
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain(payload.length > 2 ? payload : '\0never');
    }
  }
});

test.each(payloads)('%j in every header', async (payload) => {
  const relay = await contact({ fields: everyKind });
  const value = payload.replaceAll(/[^\x20-\x7e]/g, '');
  const names = [
    ...['Host', 'Origin', 'Referer', 'User-Agent', 'HX-Target', 'HX-Trigger', 'HX-Current-URL'],
    ...['HX-Prompt', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Request-Id', 'Accept', 'Accept-Language'],
  ];
  const lines = names.map((name) => `${name}: ${value}`);
  const bytes = [
    'GET /api/v1/form/contact HTTP/1.1',
    ...lines,
    'HX-Request: true',
    'Connection: close',
    '',
    '',
  ].join('\r\n');
  const [answer] = answersIn(await exchange(relay, bytes));
  const [plain] = answersIn(
    await exchange(
      relay,
      'GET /api/v1/form/contact HTTP/1.1\r\nHost: x\r\nOrigin: https://x.test\r\nHX-Request: true\r\nConnection: close\r\n\r\n',
    ),
  );
  expect(answer?.status).toBe(200);
  expect(skeleton(answer?.body ?? '')).toEqual(skeleton(plain?.body ?? ''));
  expect(answer?.head.split('\r\n').map((line) => line.split(':')[0])).toEqual(
    plain?.head.split('\r\n').map((line) => line.split(':')[0]),
  );
});

test.each(['näme "x"', 'a\u2028b', '<b>', 'x;y,z', '嘊嘍', '👍', "'", '\\', '%0d%0a', 'x: y'])(
  'a form named %j cannot change headers of an answer through HX headers and paths',
  async (name) => {
    const quoted = JSON.stringify(name);
    const config = `forms: {${quoted}: {spam: {min_fill_seconds: 1, form_ttl: 2s, token_field: ${quoted}}, fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`;
    const relay = await relayWith({ config, env: { FORM_TOKEN_SECRET: 'x' } });
    const path = encodeURIComponent(name);
    const token = /value="([^"]*)"/.exec((await relay.get(`/api/v1/token/${path}`)).text)?.[1] ?? '';
    relay.advance(3_000);
    const answer = await relay.submit(
      name,
      [
        ['a', 'x'],
        [name, token],
      ],
      { 'HX-Request': 'true', 'HX-Target': `form-${name.replaceAll(/[^ -~]/g, '')}` },
    );
    expect(answer.status).toBe(422);
    const trigger = JSON.parse(answer.headers.get('hx-trigger') ?? '') as Record<string, { name: string }>;
    expect(trigger['form-relay:token']?.name).toBe(name);
    expect([...answer.headers].map(([header]) => header)).not.toContain('set-cookie');
  },
);
