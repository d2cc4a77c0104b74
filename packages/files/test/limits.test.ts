/** How much each kind of body may contain, to the byte, and how a multipart body says where its parts end. */
import { type HttpSink, relayWith, startHttpSink } from '../../../test/support/index.ts';
import { startRelay, type TestRelay } from '../../../test/support/relay.ts';
import { parseMultipart } from '../src/multipart.ts';

let sink: HttpSink;
let relay: TestRelay;
beforeAll(async () => {
  sink = await startHttpSink();
  relay = await startRelay({
    config: `forms:
  files:
    bodies: [json]
    max_body: 4MB
    fields: [{name: name}, {name: cv, type: file, max_size: 4MB}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: {name: name, cv: cv}}]
`,
  });
});
afterAll(() => Promise.all([relay.close(), sink.close()]));

async function send(body: string | Buffer, contentType: string) {
  const before = sink.requests.length;
  const { status, json } = await relay.submit('files', Buffer.from(body), {
    'content-type': contentType,
    accept: 'application/problem+json',
  });
  return {
    status,
    code: (json as { code?: string }).code,
    got: sink.requests.slice(before).map((one) => one.body),
  };
}

const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=B';
const begin = '--B\r\nContent-Disposition: form-data; name=';
const end = '\r\n--B--\r\n';
const kb64 = 65_536;
/** A text of `bytes` bytes. */
const filled = (before: string, bytes: number, after = '') =>
  before + 'x'.repeat(bytes - before.length - after.length) + after;

describe('64 KB without files', () => {
  test.each([
    ['urlencoded', urlencoded, 'name=Ada&y=', ''],
    ['JSON', 'application/json', '{"name":"Ada","y":"', '"}'],
  ])('%s', async (_, type, before, after) => {
    expect(await send(filled(before, kb64, after), type)).toMatchObject({ status: 200, got: ['name=Ada'] });
    expect(await send(filled(before, kb64 + 1, after), type)).toMatchObject({
      status: 400,
      code: 'body_too_long',
    });
  });

  test('in parts, including everything around them', async () => {
    const before = `${begin}"name"\r\n\r\nAda\r\n${begin}"y"\r\n\r\n`;
    const cv = `\r\n${begin}"cv"; filename="a"\r\n\r\n`;
    expect(await send(filled(before, kb64, end), multipart)).toMatchObject({
      status: 200,
      got: ['name=Ada'],
    });
    expect(await send(filled(before, kb64 + 1, end), multipart)).toMatchObject({
      status: 400,
      code: 'text_too_long',
    });
    const aroundFile = filled(before, kb64 - end.length, cv);
    expect((await send(`${aroundFile}${'f'.repeat(90_000)}${end}`, multipart)).status).toBe(200);
    expect(
      await send(`${aroundFile.replace('xx', 'xxx')}${'f'.repeat(90_000)}${end}`, multipart),
    ).toMatchObject({ status: 400, code: 'text_too_long' });
  });
});

test('a field for several files says how large they may be together, if that is less than their sum', async () => {
  const relay = await relayWith({
    config: `
forms:
  apply:
    fields: [{name: photos, type: file, accept: [image], multiple: true}, {name: two, type: file, multiple: true, max_files: 2}, {name: cv, type: file}]
    outputs: [{type: webhook, url: "http://127.0.0.1:9", mapping: "*"}]`,
    env: { UPLOAD_BUDGET: '4MB' },
  });
  const { text } = await relay.get('/api/v1/form/apply');
  const hints = [...text.matchAll(/--hint">([^<]*)</g)].map(([, hint]) => hint);
  expect(hints).toEqual([
    'Up to 10 files of 4 MB each: image. All together up to 4 MB.',
    'Up to 2 files of 4 MB each. All together up to 4 MB.',
    'Up to 4 MB.',
  ]);
});

test('a form with files accepts up to its max_body, even in a single file', async () => {
  const before = `${begin}"cv"; filename="a.txt"\r\n\r\n`;
  expect(await send(filled(before, 4 * 1_048_576, end), multipart)).toMatchObject({
    status: 200,
    got: [expect.stringMatching(/^cv=a\.txt/)],
  });
  expect(await send(filled(before, 4 * 1_048_576 + 1, end), multipart)).toMatchObject({
    status: 400,
    code: 'body_over_limit',
  });
});

describe('a boundary', () => {
  const read = (parameters: string, boundary: string) => {
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--${boundary}--`;
    const parsed = parseMultipart(Buffer.from(body), `multipart/form-data${parameters}`);
    return parsed.ok ? parsed.value.values.get('a') : parsed.error.code;
  };
  const longest = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'()+_,-.";

  test.each([
    [';boundary=B', 'B'],
    [';  BOUNDARY=B', 'B'],
    ['; boundary=B ; charset=utf-8', 'B'],
    ['; charset=utf-8;boundary=B', 'B'],
    ['; boundary="B"', 'B'],
    ['; boundary="B";charset=utf-8', 'B'],
    ['; boundary="two words: a/b=c?"', 'two words: a/b=c?'],
    [`; boundary="${longest}"`, longest],
    [`; boundary=${longest}`, longest],
  ])('%s', (parameters, boundary) => expect(read(parameters, boundary)).toEqual(['v']));

  test.each([
    ['', 'undefined'],
    ['; boundary="B "', 'B '],
    ['; boundary="Ä"', 'Ä'],
    ['; boundary="%B"', '%B'],
    [`; boundary="${longest}x"`, `${longest}x`],
    ['; boundary=B x', 'B'],
    ['; boundary="B"x', 'B'],
    ['; boundary=two words', 'two words'],
  ])('is rejected: %s', (parameters, boundary) =>
    expect(read(parameters, boundary)).toBe('multipart_malformed'),
  );
});
