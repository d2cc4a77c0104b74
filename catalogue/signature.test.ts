import { crc32, deflateSync } from 'node:zlib';
import { fieldContract, tryRelay } from 'form-relay/testing';
import { expect, test } from 'vitest';

const promises = fieldContract({
  type: 'signature',
  accepts: ['Ada Lovelace', '李雷'],
  rejects: ['x'.repeat(201), ['Ada', 'Eve']],
});
test.each([...promises])('$name', ({ run }) => run());

const u32 = (number: number) => Buffer.from([number >>> 24, number >>> 16, number >>> 8, number]);
const chunk = (type: string, content: Uint8Array, crc = crc32(Buffer.concat([Buffer.from(type), content]))) =>
  Buffer.concat([u32(content.length), Buffer.from(type), content, u32(crc)]);
const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const end = chunk('IEND', Buffer.alloc(0));
const header = (width: number, height: number, about = [8, 2, 0, 0, 0]) =>
  chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from(about)]));
const image = (width: number, height: number, rows: Buffer, about?: number[]) =>
  Buffer.concat([start, header(width, height, about), chunk('IDAT', deflateSync(rows)), end]);

/** Rows of 8 white pixels except for a line, with each kind of filter. */
const line = Buffer.concat(
  [0, 1, 2, 3, 4].map((filter) =>
    Buffer.from([filter, ...Array.from({ length: 24 }, (_, at) => (at < 12 ? 0 : 90))]),
  ),
);
const drawing = image(8, 5, line);
const clear = Buffer.alloc(8 * 33, 0);
const white = image(8, 8, Buffer.from(Array.from({ length: 200 }, (_, at) => (at % 25 === 0 ? 0 : 255))));

const asText = (bytes: Uint8Array) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
const relayOf = () =>
  tryRelay({
    forms: { contact: { fields: [{ name: 'by', type: 'signature' }, { name: 'other' }] } },
  });

test.each<[what: string, drawn: string]>([
  ['no PNG', 'data:image/png;base64,aGVsbG8='],
  ['a picture of another kind', asText(drawing).replace('png', 'gif')],
  ['white', asText(white)],
  ['clear', asText(image(8, 8, clear, [8, 6, 0, 0, 0]))],
  ['followed by something', asText(Buffer.concat([drawing, Buffer.from('<script>')]))],
  ['cut', asText(drawing.subarray(0, -3))],
  ['without an end', asText(drawing.subarray(0, -12))],
  ['damaged', asText(Buffer.concat([start, header(8, 5), chunk('IDAT', deflateSync(line), 1), end]))],
  ['smaller than it says', asText(image(8, 9, line))],
  ['larger than it says', asText(image(8, 2, line))],
  ['a bomb', asText(image(2_000, 2_000, Buffer.alloc(14_000_000)))],
  ['huge', asText(image(60_000, 60_000, line))],
  ['without pixels', asText(image(0, 5, line))],
  ['behind an unknown filter', asText(image(8, 1, Buffer.from([9, ...line.subarray(1, 25)])))],
  ['two headers', asText(Buffer.concat([start, header(8, 5), drawing.subarray(8)]))],
])('a drawing that is %s is rejected', async (_, by) => {
  const relay = await relayOf();
  const { status, text } = await relay.submit('contact', { by: 'Ada', 'by.drawn': by });
  expect([status, text]).toEqual([422, expect.stringContaining('The drawing cannot be read')]);
  await relay.close();
});

test('name and drawing reach outputs, as text and as a file', async () => {
  const relay = await relayOf();
  await relay.submit('contact', { by: 'Ada', 'by.drawn': asText(drawing) });
  const body = new FormData();
  body.append('by', 'Eve');
  body.append('by.drawn', new File([new Uint8Array(drawing)], '../x.png', { type: 'image/png' }));
  await relay.fetch('/api/v1/submit/contact', { method: 'POST', body });
  const file = ['by.png (83 bytes)'];
  expect(relay.delivered).toMatchObject([
    { by: ['Ada'], 'by.drawn': file },
    { by: ['Eve'], 'by.drawn': file },
  ]);
  await relay.close();
});

test('a drawing requires a name, and may have at most 50 KB', async () => {
  const relay = await relayOf();
  const { text } = await relay.submit('contact', { 'by.drawn': asText(drawing) });
  expect(text).toContain('Type your full name to sign');
  const body = new FormData();
  body.append('by', 'Ada');
  body.append('by.drawn', new File([drawing, new Uint8Array(9_000_000)], 'x.png', { type: 'image/png' }));
  const answer = await relay.fetch('/api/v1/submit/contact', { method: 'POST', body });
  expect([answer.status, relay.delivered.length]).toEqual([422, 0]);
  await relay.close();
});
