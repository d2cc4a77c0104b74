/** Files in webhooks, from a submission to what the receiver gets. */

import { randomBytes } from 'node:crypto';
import { Secrets } from '@form-relay/dry-run/secrets';
import { showRequest } from '@form-relay/dry-run/shown';
import fc from 'fast-check';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { httpSink, relayWith, type SinkAnswer, type SunkRequest } from '../../../test/support/index.ts';
import { signatureOf } from '../../../test/support/webhook_signature.ts';
import { wholeOf } from '../../base/src/streamed.ts';
import type { UploadedFile } from '../../base/src/values.ts';
import { asBase64 } from '../src/webhook_content.ts';

const fields = `
    fields:
      - {name: name}
      - {name: cv, type: file, label: Your CV}
      - {name: photos, type: file, multiple: true, accept: [pdf, image/png]}
      - {name: topics, type: checkboxes, options: [roof, wall]}`;

const pdf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes - 9)]);
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(20)]);
const cv = pdf(200_001);

const secret = Buffer.alloc(32, 7);

/** A relay whose form has this output, to a server with this response, or to another server. */
async function start(
  more: string,
  answer: (request: SunkRequest, nth: number) => SinkAnswer = () => ({}),
  url?: string,
) {
  let nth = 0;
  const sink = await httpSink({ answer: (request) => answer(request, ++nth) });
  const env: Record<string, string> = { HOOK_SECRET: `whsec_${secret.toString('base64')}` };
  const relay = await relayWith({
    config: `forms:\n  contact:${fields}\n    outputs:\n      - {type: webhook, url: "${url ?? `${sink.origin}/hook`}", ${more}}\n`,
    env,
    effects: { env: (name) => env[name] },
  });
  const send = (...parts: (readonly [string, string | File])[]) => {
    const body = new FormData();
    for (const [name, value] of parts) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value);
    }
    return relay.request('/api/v1/submit/contact', { method: 'POST', body });
  };
  const json = () => sink.requests.map(({ bytes }) => JSON.parse(bytes.toString('utf8')));
  return { sink, relay, send, json };
}

const file = (bytes: Uint8Array<ArrayBuffer> | Buffer, name: string, type = 'application/pdf') =>
  new File([Buffer.from(bytes)], name, { type });
const theCv = ['cv', file(cv, 'Lebenslauf Größe.pdf')] as const;
const photos = [
  ['photos', file(png, 'a.png', 'image/png')],
  ['photos', file(pdf(100), 'b.pdf')],
] as const;

test('by default, JSON has each file’s name, type and size', async () => {
  const { send, json } = await start('mapping: "*"');
  expect((await send(['name', 'Ada'], theCv, ...photos)).status).toBe(200);
  await send(['name', 'Bo']);
  expect(json()).toEqual([
    {
      name: 'Ada',
      cv: { name: 'Lebenslauf Größe.pdf', type: 'application/pdf', size: cv.length },
      photos: [
        { name: 'a.png', type: 'image/png', size: png.length },
        { name: 'b.pdf', type: 'application/pdf', size: 100 },
      ],
    },
    { name: 'Bo' },
  ]);
});

test('with base64, the content is added, wherever the JSON has the field', async () => {
  const { send, json, sink } = await start(
    'files: base64, body: {about: {who: "{{ .fields.name }}: {{ .fields.cv }}", cv: {$field: cv}}, all: $fields, none: {x: {$field: nothing}}}',
  );
  expect((await send(['name', 'A"}'], theCv, photos[0])).status).toBe(200);
  const theirs = {
    name: 'Lebenslauf Größe.pdf',
    type: 'application/pdf',
    size: cv.length,
    content: cv.toString('base64'),
  };
  expect(json()).toEqual([
    {
      about: { who: 'A"}: Lebenslauf Größe.pdf (195 KB)', cv: theirs },
      all: [
        { name: 'name', label: 'Name', value: 'A"}' },
        { name: 'cv', label: 'Your CV', value: theirs },
        {
          name: 'photos',
          label: 'Photos',
          value: [{ name: 'a.png', type: 'image/png', size: png.length, content: png.toString('base64') }],
        },
        { name: 'topics', label: 'Topics', value: null },
      ],
    },
  ]);
  expect(sink.requests[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(sink.requests[0]?.bytes.length),
  });
});

test('a retry, and a redirect, send the same bytes', async () => {
  const { send, sink } = await start(`files: base64, mapping: "*"`, ({ url }, nth) => {
    if (nth === 1) return { status: 503 };
    return url === '/hook' ? { status: 307, headers: { location: '/moved' } } : {};
  });
  expect((await send(['name', 'Ada'], theCv, ...photos)).status).toBe(200);
  expect(sink.requests.map(({ url }) => url)).toEqual(['/hook', '/hook', '/moved']);
  const [first, ...others] = sink.requests;
  for (const other of others) {
    expect(other.bytes.equals(first?.bytes ?? Buffer.of())).toBe(true);
    expect(other.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(other.headers['content-type']).toBe(first?.headers['content-type']);
  }
});

test('the sent bytes are signed', async () => {
  const { send, sink } = await start(
    `files: base64, mapping: "*", sign: {secret: ['{{ env "HOOK_SECRET" }}', '{{ env "HOOK_SECRET" }}']}`,
    (_, nth) => ({ status: nth === 1 ? 503 : 200 }),
  );
  expect((await send(['name', 'Ada'], theCv)).status).toBe(200);
  expect(sink.requests).toHaveLength(2);
  for (const { headers, bytes } of sink.requests) {
    const id = String(headers['webhook-id']);
    const signature = `v1,${signatureOf(id, String(headers['webhook-timestamp']), bytes, secret)}`;
    expect(headers['webhook-signature']).toBe(`${signature} ${signature}`);
  }
});

test('other outputs send names and sizes', async () => {
  const sink = await httpSink();
  const texts = {
    http_post: 'mapping: "*", headers: {X-Cv: "{{ .fields.cv }}"}',
    crm_web2lead: 'mapping: {00N1: photos}, static: {cv: "{{ .labels.cv }}"}',
  };
  const outputs = Object.entries(texts).map(
    ([type, keys]) => `      - {type: ${type}, url: "${sink.origin}/${type}", ${keys}}`,
  );
  const relay = await relayWith({
    config: `forms:\n  contact:${fields}\n    outputs:\n${outputs.join('\n')}\n`,
  });
  const body = new FormData();
  for (const [name, value] of [theCv, ...photos]) body.append(name, value);
  expect((await relay.request('/api/v1/submit/contact', { method: 'POST', body })).status).toBe(200);
  const requestTo = (type: string) => sink.requests.find(({ url }) => url === `/${type}`);
  const pairs = (type: string) => [...new URLSearchParams(requestTo(type)?.body)];
  expect(pairs('http_post')).toEqual([
    ['cv', 'Lebenslauf Größe.pdf (195 KB)'],
    ['photos', 'a.png (28 bytes)'],
    ['photos', 'b.pdf (100 bytes)'],
  ]);
  expect(requestTo('http_post')?.headers['x-cv']).toBe('Lebenslauf Größe.pdf (195 KB)');
  expect(pairs('crm_web2lead')).toEqual([
    ['00N1', 'a.png (28 bytes)'],
    ['00N1', 'b.pdf (100 bytes)'],
    ['cv', 'Lebenslauf Größe.pdf (195 KB)'],
  ]);
});

const files = fc.array(
  fc.record({
    name: fc.string({ unit: 'binary', minLength: 1 }),
    type: fc.constantFrom('application/pdf', 'text/plain', ''),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.integer({ min: 49_140, max: 49_170 }).map((length) => Uint8Array.from(randomBytes(length))),
    ),
  }),
  { maxLength: 4 },
);

const together = ({ streamed, body }: ReturnType<typeof asBase64>) => {
  const bytes = streamed ? wholeOf(streamed) : Buffer.from(body);
  expect(bytes.length).toBe(streamed?.byteLength ?? bytes.length);
  return bytes;
};

test('JSON with files is valid, whatever it contains', () =>
  holds(runs(20, 0.05), [files, fc.jsonValue(), fc.string()], (sent, other, key) => {
    const tree = (content: (file: UploadedFile) => unknown) => ({
      [key]: [other, null],
      nothing: undefined,
      files: sent.map((one) => ({
        name: one.name,
        type: one.type,
        size: one.bytes.length,
        content: content(one),
      })),
    });
    const made = asBase64((inJson) => ({
      [key]: [other, null],
      nothing: undefined,
      files: sent.map((one) => inJson(one)),
    }));
    const expected = JSON.stringify(tree(({ bytes }) => Buffer.from(bytes).toString('base64')));
    expect(together(made).toString('utf8')).toBe(expected);
    // The preview for people is valid JSON, too.
    const url = new URL('https://crm.example/');
    const request = { url, headers: { 'content-type': 'application/json' }, timeoutMs: 1, ...made };
    const shown = showRequest(request, new Secrets(), { files: sent });
    const [, body = ''] = shown.kind === 'http' ? shown.bytes.split('\r\n\r\n') : [];
    expect(() => JSON.parse(body)).not.toThrow();
  }));
