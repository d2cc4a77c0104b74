/** multipart/form-data bodies over HTTP: what browsers and libraries send, and what no client should. */
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { type HttpSink, startHttpSink, startRelay, type TestRelay } from '../../../test/support/index.ts';
import { parseMultipart, readDisposition } from '../src/multipart.ts';

let sink: HttpSink;
let relay: TestRelay;
beforeAll(async () => {
  sink = await startHttpSink();
  const to = `outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]`;
  relay = await startRelay({
    config: `forms:
  bare:
    bodies: [multipart]
    fields: [{name: name}, {name: topics, type: checkboxes, options: [sales, press]}]
    spam: {honeypot: website}
    ${to}
  files:
    fields: [{name: name}, {name: cv, type: file, accept: [pdf]}]
    outputs:
      - {type: http_post, url: "${sink.origin}/", mapping: {name: name, cv: cv, other: undeclared}}
  plain:
    fields: [{name: name}]
    ${to}
`,
  });
});
afterAll(() => Promise.all([relay.close(), sink.close()]));

const type = 'multipart/form-data; boundary=B';
const text = (name: string, value: string, more = '') =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n${value}\r\n`;
const file = (name: string, filename: string, bytes: string, more = '') =>
  `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n${more}\r\n${bytes}\r\n`;
const end = '--B--\r\n';

async function send(form: string, body: string | Uint8Array, contentType = type) {
  const before = sink.requests.length;
  const bytes = typeof body === 'string' ? Buffer.from(body) : Uint8Array.from(body);
  const { status, json } = await relay.submit(form, bytes, {
    'content-type': contentType,
    accept: 'application/problem+json',
  });
  const got = sink.requests.slice(before).map((one) => one.body);
  return { status, got, ...(json as { code?: string; detail?: string; errors?: object[] }) };
}

describe('text', () => {
  test('a script’s FormData arrives like a form', async () => {
    const data = new FormData();
    data.append('name', 'Ada “Ä” 🙂');
    data.append('topics', 'sales');
    data.append('topics', 'press');
    const { headers, bytes } = await encoded(data);
    expect(await send('bare', bytes, headers)).toMatchObject({
      status: 200,
      got: ['name=Ada+%E2%80%9C%C3%84%E2%80%9D+%F0%9F%99%82&topics=sales&topics=press'],
    });
  });

  test.each<[string, string, string]>([
    ['a preamble of one character', `x\r\n${text('name', 'Ada')}${end}`, 'name=Ada'],
    ['a preamble', `for old mail programs\r\n${text('name', 'Ada')}${end}`, 'name=Ada'],
    ['a line end before it', `\r\n${text('name', 'Ada')}${end}`, 'name=Ada'],
    ['an epilogue', `${text('name', 'Ada')}${end}whatever --B`, 'name=Ada'],
    ['no line end after the last delimiter', `${text('name', 'Ada')}--B--`, 'name=Ada'],
    ['_charset_', `${text('_charset_', 'UTF-8')}${text('name', 'Ä')}${end}`, 'name=%C3%84'],
    ['a byte order mark', `${text('name', '\uFEFFAda')}${end}`, 'name=%EF%BB%BFAda'],
    ['line ends', `${text('name', '\r\n--A\r\n-')}${end}`, 'name=%0D%0A--A%0D%0A-'],
    ['a type', `${text('name', 'Ada', 'Content-Type: text/plain; charset=utf-8\r\n')}${end}`, 'name=Ada'],
    ['8bit', `${text('name', 'Ada', 'content-transfer-encoding: 8BIT\r\n')}${end}`, 'name=Ada'],
    ['__proto__', `${text('__proto__', 'x')}${text('name', 'Ada')}${end}`, 'name=Ada'],
    ['no name at all', `${text('', 'x')}${text('name', 'Ada')}${end}`, 'name=Ada'],
  ])('%s', async (_, body, got) =>
    expect(await send('bare', body)).toMatchObject({ status: 200, got: [got] }),
  );

  test('an empty body is an empty form', async () =>
    expect(await send('bare', end)).toMatchObject({ status: 200, got: [''] }));
});

describe('files', () => {
  const pdf = '%PDF-1.4 \r\n--A';

  test('with text', async () => {
    expect(await send('files', `${text('name', 'Ada')}${file('cv', 'cv.pdf', pdf)}${end}`)).toMatchObject({
      status: 200,
      got: ['cv=cv.pdf+%2814+bytes%29&name=Ada'],
    });
  });

  test('an input without a chosen file sends no file', async () => {
    const unpicked = file('cv', '', '', 'Content-Type: application/octet-stream\r\n');
    const ofNode = text('cv', '', 'Content-Type: application/octet-stream\r\n');
    for (const none of [unpicked, ofNode]) {
      expect(await send('files', `${none}${text('name', 'Ada')}${end}`)).toMatchObject({
        status: 200,
        got: ['name=Ada'],
      });
    }
  });

  test('a file in a text field is reported, and an undeclared one is ignored', async () => {
    expect(await send('files', `${file('name', 'a.pdf', pdf)}${end}`)).toMatchObject({
      status: 422,
      errors: [{ field: 'name', code: 'file_not_expected', pointer: '/name' }],
      got: [],
    });
    expect(
      await send('files', `${text('name', 'Ada')}${file('undeclared', 'a.pdf', pdf)}${end}`),
    ).toMatchObject({ status: 200, got: ['name=Ada'] });
  });

  test('a file with an unknown name is logged by its name and size, both limited', async () => {
    const lines = async (...names: string[]) => {
      const before = relay.logged.length;
      const sent = names.map((name) => file(name, 'secret.pdf', pdf)).join('');
      expect((await send('files', `${text('name', 'Ada')}${sent}${end}`)).status).toBe(200);
      return relay.logged.slice(before).filter(({ event }) => event === 'files_unknown');
    };
    for (const name of ['cv[]', 'cv[0]', 'CV', 'cv ', '', '__proto__', 'data[cv]', '\u001b[2J\u202e'])
      expect(await lines(name)).toMatchObject([
        { level: 'warn', form: 'files', files: [{ name, bytes: 14 }] },
      ]);
    expect(await lines('cv[]', 'cv[]')).toMatchObject([{ files: [{ name: 'cv[]', bytes: 28 }] }]);
    expect(await lines()).toEqual([]);
    expect(await lines('cv')).toEqual([]);
    const [many] = await lines(...Array.from({ length: 40 }, (_, at) => `${'n'.repeat(200)}${at}`));
    expect(many).toMatchObject({ more: 30 });
    expect(JSON.stringify(many).length).toBeLessThan(2_000);
    expect(JSON.stringify(relay.logged)).not.toContain('secret.pdf');
  });
});

describe('rejected bodies', () => {
  const malformed: [string, string | Uint8Array, string?][] = [
    ['nothing', ''],
    ['no delimiter', 'name=Ada'],
    ['another delimiter', `${text('name', 'Ada')}${end}`.replaceAll('--B', '--C')],
    ['no end', text('name', 'Ada')],
    ...['--C', '--', '---B', '-B', 'B', '--b', ' --B', '--B-', '\u2014B', '--B\n', '--B--\r\n', '\n--B'].map(
      (first): [string, string] => [
        `a part behind ${JSON.stringify(first)} before the first delimiter`,
        `${text('topics', 'sales').replace('--B', first)}${text('name', 'Ada')}${end}`,
      ],
    ),
    ['a part of Unix line ends before it', `${text('topics', 'sales').replaceAll('\r', '')}\r\n${end}`],
    ['a part behind the end', `${text('name', 'Ada')}${end}${text('topics', 'sales')}${end}`],
    ['a part with another boundary behind the end', `${end}\r\n--C\r\nX: y\r\n\r\nx\r\n--C--`],
    ['an end in the middle of a part', text('name', 'Ada').slice(0, -2)],
    ['headers without an end', '--B\r\nContent-Disposition: form-data; name="name"\r\n--B--\r\n'],
    ['a part without headers', `--B\r\n\r\nx\r\n${text('name', 'Ada')}${end}`],
    ['a line end of Unix in headers', text('name"\n; filename="x', 'Ada') + end],
    [
      'the same at the end of headers that are as long as may be',
      text('name"\n; filename="x', 'Ada', `X: ${'x'.repeat(8_127)}\r\n`) + end,
    ],
    ['a name of a file on a line of its own', text('name"\r\n ; filename="x', 'Ada') + end],
    ['the same with a colon in it', text('name"\r\n ; filename="x:y', 'Ada') + end],
    ['headers after no headers', text('name', 'Ada').replace('\r\n', '\r\n\r\n') + end],
    ['a line that is no header', text('name', 'Ada', 'filename="x"\r\n') + end],
    ['a header over two lines', text('name";\r\n filename="x', 'Ada') + end],
    [
      'a line separator in a name, which the library takes for the end of it',
      `${file('name', 'a\u2028.pdf', 'x')}${end}`,
    ],
    ['a part within headers', `--B\r\nX: y\r\n${text('name', 'Ada')}${end}`],
    ['an empty part', `--B\r\n${text('name', 'Ada')}${end}`],
    ['spaces after a delimiter', `${text('name', 'Ada').replace('--B', '--B ')}${end}`],
    ['any two bytes after a delimiter', `${text('name', 'Ada').replace('--B\r\n', '--Bxy')}${end}`],
    ['line ends of Unix', `${text('name', 'Ada')}${end}`.replaceAll('\r\n', '\n')],
    ['no disposition', '--B\r\nContent-Type: text/plain\r\n\r\nAda\r\n--B--'],
    ['no name', '--B\r\nContent-Disposition: form-data\r\n\r\nAda\r\n--B--'],
    ['an attachment', '--B\r\nContent-Disposition: attachment; name="name"\r\n\r\nAda\r\n--B--'],
    ['two names', text('name"; name="b', 'Ada') + end],
    ['two dispositions', text('name', 'Ada', 'Content-Disposition: form-data; name="b"\r\n') + end],
    ['base64', text('name', 'QWRh', 'Content-Transfer-Encoding: base64\r\n') + end],
    [
      'parts in parts',
      `${text('name', '--C\r\n\r\nx\r\n--C--', 'Content-Type: multipart/mixed; boundary=C\r\n')}${end}`,
    ],
    ['headers that are endless', text('name', 'Ada', `X: ${'x'.repeat(9_000)}\r\n`) + end],
    ['no boundary', `${text('name', 'Ada')}${end}`, 'multipart/form-data'],
    ['two boundaries', `${text('name', 'Ada')}${end}`, 'multipart/form-data; boundary=B; Boundary=C'],
    ['an empty boundary', `${text('name', 'Ada')}${end}`, 'multipart/form-data; boundary=""'],
    [
      'a huge boundary',
      `${text('name', 'Ada')}${end}`.replaceAll('--B', `--${'b'.repeat(71)}`),
      `multipart/form-data; boundary=${'b'.repeat(71)}`,
    ],
  ];
  test.each(malformed)('%s', async (_, body, contentType) => {
    expect(await send('bare', body, contentType)).toMatchObject({
      status: 400,
      code: 'multipart_malformed',
      got: [],
    });
  });

  test('text that is not UTF-8, as from a page in windows-1252', async () => {
    for (const body of [
      text('name', 'Ä'),
      text('Ä', 'x'),
      `${text('_charset_', 'windows-1252')}${text('name', 'Ä')}`,
    ]) {
      expect(await send('bare', Buffer.from(body + end, 'latin1'))).toMatchObject({
        status: 400,
        code: 'body_not_utf8',
      });
    }
  });

  test('over 64 KB besides the files, wherever it is', async () => {
    const large = 'x'.repeat(65_536);
    for (const body of [
      text('name', large),
      text('other', large),
      `${large}\r\n${text('name', 'Ada')}`,
      Array.from({ length: 9 }, (_, at) => text(`name${at}`, 'Ada', `X: ${'x'.repeat(8_000)}\r\n`)).join(''),
    ])
      expect(await send('files', `${body}${end}`)).toMatchObject({ status: 400, code: 'text_too_long' });
    expect(await send('files', `${file('undeclared', 'a', large)}${end}`)).toMatchObject({ status: 200 });
  });
});

test.each<[string, { name: string; filename?: string } | undefined]>([
  ['form-data; name="a"', { name: 'a' }],
  ['FORM-DATA ;NAME=a ; filename = b.pdf', { name: 'a', filename: 'b.pdf' }],
  // Browsers.
  ['form-data; name="%22a%22"; filename="x%0D%0ay.pdf"', { name: '"a"', filename: 'x\r\ny.pdf' }],
  ['form-data; name="100%2525"', { name: '100%2525' }],
  ['form-data; name="a\\b"; filename="C:\\x\\"', { name: 'a\\b', filename: 'C:\\x\\' }],
  ['form-data; name="a"; filename="Lebenslauf; Ä 🙂.pdf"', { name: 'a', filename: 'Lebenslauf; Ä 🙂.pdf' }],
  ['form-data; name="a\u2028b"; filename="\u2029.pdf"', { name: 'a\u2028b', filename: '\u2029.pdf' }],
  ['form-data; name="C:\\"; filename="\\\\nas\\cv.pdf"', { name: 'C:\\', filename: '\\\\nas\\cv.pdf' }],
  // Others.
  ['form-data; name="a\\"b"; filename="c:\\\\d\\".pdf"', { name: 'a"b', filename: 'c:\\d".pdf' }],
  ['form-data; name="a"; filename="b.pdf"; filename*=UTF-8\'\'evil.exe', { name: 'a', filename: 'b.pdf' }],
  ['form-data; name="a"; filename*=utf-8\'de\'%C3%84.pdf', { name: 'a', filename: 'Ä.pdf' }],
  ['form-data; name="a"; filename*=latin1\'\'%C4.pdf', undefined],
  ['form-data; name="a"; filename*=utf-8\'\'%C4.pdf', undefined],
  ['form-data; name="a"; filename*=not-utf-8\'\'b.pdf', undefined],
  ['form-data; name="a"x; filename="b"', undefined],
  ['nine_char; x=form-data; name="a"', undefined],
  ['form-data; filename="a"', undefined],
  ['form-data; name="a"; filename="b"; filename="c"', undefined],
  ['form-data; name="a', undefined],
  ['form-data; name="a" x', undefined],
  ['form-data; name="a";', undefined],
  ['form-data; name="a", form-data; name="b"', undefined],
  ['form-data', undefined],
  ['', undefined],
])('names: %s', (header, expected) => expect(readDisposition(header)).toEqual(expected));

test('no header and no content takes longer than linear time', () => {
  const slow = [
    text('name', 'x', `X:${' '.repeat(8_000)}\n\r\n`),
    text('name', 'x', `X: y${' \t'.repeat(4_000)}z\r\n`),
    text(`a\\"${' '.repeat(8_000)}x`, 'x'),
    `--B\r\nContent-Disposition: form-data; name="${'\\" '.repeat(2_600)}\r\n\r\nx\r\n`,
    `--B\r\nContent-Disposition: form-data${' '.repeat(8_000)}\r\n\r\nx\r\n`,
    file('cv', 'cv.pdf', '\r\n--'.repeat(500_000)),
    '--B\r\n\r\n\r\n'.repeat(200_000),
  ].map((some) => Buffer.from(some + end));
  const cpuMs = startCpuClock();
  for (const body of slow) parseMultipart(body, type);
  // Linear parsing takes 10 ms; quadratic parsing would take minutes.
  expect(cpuMs()).toBeLessThan(5_000);
});

test('files are views of the body, not copies', () => {
  const body = Buffer.from(file('cv', 'cv.pdf', 'x'.repeat(1_000)) + end);
  const parsed = parseMultipart(body, type);
  expect((parsed.ok ? parsed.value.files.get('cv')?.[0]?.bytes : undefined)?.buffer).toBe(body.buffer);
});

/** The body as this runtime sends it. */
async function encoded(data: FormData) {
  const request = new Request('http://relay.test/', { method: 'POST', body: data });
  return {
    headers: request.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await request.arrayBuffer()),
  };
}
