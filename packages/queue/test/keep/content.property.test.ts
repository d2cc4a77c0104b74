import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { holds, property, runs } from '../../../../test/support/fuzz.ts';
import { must } from '../../../../test/support/must.ts';
import { err, ok } from '../../../base/src/result.ts';
import type { Files } from '../../../base/src/values.ts';
import { pageAt } from '../../../schema/src/template.ts';
import { headOf, readHead } from '../../../stores/src/entry.ts';
import type { Queued } from '../../../stores/src/store.ts';
import { openContent, packContent, type QueuedSubmission } from '../../src/content.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', '\0', '__proto__', '"\\'));
const bytes = fc.uint8Array({ maxLength: 300 });
const file = fc.record({
  name: fc.constantFrom('cv.pdf', 'żółw.txt', 'a b', '..a', "it's.zip"),
  type: fc.constantFrom('application/pdf', 'text/plain', 'image/svg+xml'),
  bytes,
});
const mapOf = <T>(value: fc.Arbitrary<T>) =>
  fc
    .array(fc.tuple(text, fc.array(value, { minLength: 1, maxLength: 4 })), { maxLength: 5 })
    .map((all) => new Map(all));
const submissions: fc.Arbitrary<QueuedSubmission> = fc.record({
  requestId: fc.uuid(),
  receivedAt: fc.nat(),
  values: mapOf(text),
  files: mapOf(file),
  page: fc.option(
    fc
      .tuple(fc.webUrl({ withQueryParameters: true }), text)
      .map(([url, title]) => pageAt(new URL(url), title, '*')),
    { nil: undefined },
  ),
});
const forms = fc.oneof(text, fc.constantFrom('contact', 'a/b', '日本'));

const settings = { keepSecret: '', allowedOrigins: '*' } as const;
const keepSecret = 'a secret that nobody else has, 1234';

type Kept = [submission: QueuedSubmission, entry: ReturnType<typeof about>];

/** Each way to store content, with the keys that open it. */
const ways: Readonly<
  Record<'clear' | 'secret', { pack(...kept: Kept): Uint8Array; open: typeof openContent }>
> = {
  clear: { pack: (...kept) => packContent(...kept, ''), open: openContent },
  secret: {
    pack: (...kept) => packContent(...kept, keepSecret),
    open: (kept, given) => openContent(kept, { ...given, keepSecret }),
  },
};
const kinds = ['clear', 'secret'] as const;

const output = { place: 1, of: 2, type: 'http_post', fingerprint: '0123456789abcdef' };
const about = (form: string, receivedAt = 0) => ({
  id: '4f1c3f5e-0000-4000-8000-000000000000-1',
  form,
  output,
  receivedAt,
});

describe.each(kinds)('content stored %s', (kind) => {
  property('is read as it was kept', runs(50, 0.1), [submissions, forms], (submission, form) => {
    const { pack, open } = ways[kind];
    const entry = about(form, submission.receivedAt);
    const content = pack(submission, entry);
    const opened = must(open({ ...entry, content }, settings));
    expect(asData(opened)).toEqual(asData(submission));
  });

  test('detects any changed, missing or added byte', () =>
    holds(
      runs(50, 0.1),
      [submissions, fc.nat(), fc.integer({ min: 1, max: 255 })],
      (submission, at, flip) => {
        const { pack, open } = ways[kind];
        const entry = about('contact', submission.receivedAt);
        const content = pack(submission, entry);
        const place = at % content.length;
        const changed = Uint8Array.from(content);
        changed[place] = (changed[place] ?? 0) ^ flip;
        for (const wrong of [changed, content.subarray(0, place), Buffer.concat([content, Buffer.of(flip)])])
          expect(open({ ...entry, content: wrong }, settings).ok).toBe(false);
      },
    ));

  test('cannot be used for another entry', () =>
    holds(runs(13, 0.05), [submissions, fc.tuple(forms, forms)], (submission, [form, other]) => {
      fc.pre(form !== other);
      const { pack, open } = ways[kind];
      const entry = about(form, submission.receivedAt);
      const content = pack(submission, entry);
      expect(open({ ...entry, content }, settings).ok).toBe(true);
      for (const wrong of [
        { form: other },
        { id: `${entry.id}0` },
        { receivedAt: entry.receivedAt + 1 },
        { output: { ...output, place: 0 } },
        { output: { ...output, of: 3 } },
        { output: { ...output, type: 'webhook' } },
        { output: { ...output, fingerprint: 'fedcba9876543210' } },
      ])
        expect(open({ ...entry, ...wrong, content }, settings).ok).toBe(false);
    }));

  property('never throws, whatever it is', runs(20, 0.1), [fc.uint8Array({ maxLength: 400 })], (rest) => {
    const first = kinds.indexOf(kind) + 1;
    const opened = ways[kind].open({ ...about('contact'), content: Uint8Array.of(first, ...rest) }, settings);
    expect(opened.ok).toBe(false);
  });
});

describe('each reason why content cannot be opened is reported', () => {
  const submission: QueuedSubmission = {
    requestId: 'a',
    receivedAt: 0,
    values: new Map([['name', ['Ada']]]),
    files: new Map(),
    page: undefined,
  };
  const openAs = (kind: (typeof kinds)[number], given: string) =>
    openContent(
      { ...about('contact'), content: ways[kind].pack(submission, about('contact')) },
      { ...settings, keepSecret: given },
    );

  test('another secret, no secret, and a kind of a newer relay', () => {
    expect(openAs('secret', 'another')).toEqual(err('other_secret'));
    expect(openAs('secret', '')).toEqual(err('no_secret'));
    const openBytes = (content: Uint8Array) => openContent({ ...about('contact'), content }, settings);
    for (const content of [Uint8Array.of(4, 1, 2, 3), new Uint8Array()])
      expect(openBytes(content)).toEqual(err('damaged'));
  });

  test('with a secret, unencrypted content is not opened, because anyone may have forged it', () =>
    expect(openAs('clear', keepSecret)).toEqual(err('unencrypted')));

  test('no part of it can be read without the secret', () => {
    const packed = ways.secret.pack(submission, about('contact'));
    expect(Buffer.from(packed).includes('Ada')).toBe(false);
    expect(Buffer.from(packed).includes('name')).toBe(false);
  });
});

/** Content as anyone who can write to the store may forge it, with a correct checksum. */
function forged(head: object, rest = ''): Uint8Array {
  const written = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(written.length);
  const clear = Buffer.concat([length, written, Buffer.from(rest)]);
  return Buffer.concat([Buffer.of(1), createHash('sha256').update(clear).digest().subarray(0, 16), clear]);
}

describe('forged content', () => {
  const head = { ...about('contact'), requestId: 'a', receivedAt: 1, values: [['a', ['b']]], files: [] };

  const fileNamed = (name: unknown, more: object = {}) => ({
    files: [{ field: 'cv', name, type: 'application/pdf', size: 2, ...more }],
  });
  const open = async (more: object) => {
    const all = { ...head, ...more };
    return openContent(
      { ...about('contact', all.receivedAt), id: all.id, content: forged(all, 'ab') },
      settings,
    );
  };

  test('a header longer than any submission’s is not parsed', async () => {
    const openWith = (count: number) => open({ values: [['a', Array(count).fill('')]] });
    expect(await openWith(300_000)).toMatchObject({ ok: true });
    expect(await openWith(400_000)).toEqual(err('damaged'));
  });

  test('is read if it looks like the relay’s own', async () =>
    expect((await open(fileNamed('cv.pdf'))).ok).toBe(true));

  test.each([
    ['an id that leads elsewhere', { id: '../../etc/cron.d/x' }],
    ['a number for an id', { requestId: { a: 1 } }],
    ['a file that leads elsewhere', fileNamed('../../x')],
    ['a file that leads elsewhere on Windows', fileNamed('..\\x')],
    ['a file with a header in its name', fileNamed('a\r\nb')],
    ['a file with a boundary in its type', fileNamed('a', { type: 'multipart/mixed; boundary=x' })],
    ['a file that is less than nothing', fileNamed('a', { size: -1 })],
    ['a file that is longer than all', fileNamed('a', { size: 3 })],
    ['files that are no list', { files: 'all' }],
    ['values that are no text', { values: [['a', [1]]] }],
    ['values that are no pairs', { values: ['ab'] }],
    ['a value that is no list', { values: [['a', 'b']] }],
    ['no values', { values: null }],
    ['a page that is no address', { page: { url: 'javascript:alert(1)', title: '' } }],
    ['a title that is no text', { page: { url: 'https://a.example', title: 1 } }],
    ['a time that is none', { receivedAt: 'now' }],
    ['a time that no calendar has', { receivedAt: 1e300 }],
  ])('with %s is damaged', async (_, more) => expect(await open(more)).toEqual(err('damaged')));
});

/** Replaces byte arrays by values that can be compared. */
function asData({ files, ...submission }: QueuedSubmission) {
  const plain = (all: Files) =>
    [...all].map(([field, some]) => [
      field,
      some.map((one) => ({ ...one, bytes: Buffer.from(one.bytes).toString('hex') })),
    ]);
  return ok({ ...submission, files: plain(files) });
}

const textHead = fc.string({ unit: 'binary' });
const time = fc.oneof(
  fc.nat({ max: 8.64e15 }),
  fc.double({ min: 0, max: 8.64e15, noNaN: true }).map(Math.abs),
);
const kept: fc.Arbitrary<Queued> = fc.record({
  id: fc.tuple(fc.uuid(), fc.nat()).map(([id, place]) => `${id}-${place}`),
  form: textHead,
  output: fc.record({ place: fc.nat(), of: fc.nat(), type: textHead, fingerprint: textHead }),
  receivedAt: time,
  keptAt: time,
  tries: fc.nat(),
  why: fc.option(fc.record({ code: textHead, words: textHead }), { nil: undefined }),
  content: fc.constant(new Uint8Array()),
});

property('a head is read as it was written, and nothing after it', 30, [kept], (one) => {
  const { content: _, ...head } = one;
  expect(readHead({ ...JSON.parse(JSON.stringify(headOf(one))), newer: 1 })).toEqual(head);
});

test('anything but a valid header is rejected, and nothing throws', () =>
  holds(30, [kept, fc.jsonValue(), fc.nat()], (one, other, at) => {
    expect(readHead(other)).toBeUndefined();
    const { content: _, why: __, ...head } = one;
    const keys = Object.keys(head);
    const key = keys[at % keys.length] ?? 'id';
    expect(readHead({ ...head, [key]: undefined })).toBeUndefined();
    const given = readHead({ ...head, [key]: other });
    if (given) expect(typeof given[key as 'id']).toBe(typeof head[key as 'id']);
  }));

test.each([
  ['id', '../x'],
  ['id', 'a\r\nb'],
  ['id', ''],
  ['id', 'x'.repeat(201)],
  ['keptAt', 1e300],
  ['keptAt', -1],
  ['receivedAt', '0'],
  ['tries', 1.5],
  ['why', 'because'],
  ['why', null],
])('a header whose %s is %j is invalid', (key, value) => {
  const [one] = fc.sample(kept, { numRuns: 1, seed: 1 });
  expect(readHead({ ...(one as Queued), [key]: value })).toBeUndefined();
});
