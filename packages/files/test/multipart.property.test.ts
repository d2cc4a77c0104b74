/** Multipart bodies of any structure and any bytes. */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { heapMb } from '../../../test/support/heap.ts';
import type { ParsedBody } from '../../core/src/plugin.ts';
import { parseMultipart } from '../src/multipart.ts';

interface Part {
  readonly name: string;
  /** The media type of a file. */
  readonly filename?: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const contentType = `multipart/form-data; boundary=${boundary}`;

/** Valid Unicode text. Browsers replace what UTF-8 cannot encode. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).filter((some) => !/[\ud800-\udfff]/u.test(some)),
  fc.constantFrom(
    ...['', ' ', '\r\n', '\n', '\0', '"', "'", '\\', '\\"', '%', '%2', '%41', ';', '; name="x"', '=', '--'],
    ...[`\r\n--${boundary.slice(0, -1)}`, '__proto__', '\uFEFF', 'Ä', '🙂', 'C:\\cv.pdf', '../cv.pdf'],
  ),
);
/**
 * Excludes names that browsers would write like an escaped quote or line break, in which libraries interpret
 * a backslash, or that contain line separators, which end a line for the parser.
 */
const name = text.filter((some) => !/%(22|0d|0a)|\\"|[\u2028\u2029]/i.test(some) && !/\\(;|$)/.test(some));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  text.map((some) => new TextEncoder().encode(some)),
  fc.constantFrom(`\r\n--${boundary.slice(0, 9)}`, '\r\n', '\r\n\r\n', '--').map((some) => Buffer.from(some)),
);
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ name, type: fc.constantFrom('', 'text/plain'), bytes: text.map((some) => Buffer.from(some)) }),
  fc.record({
    name,
    filename: name,
    type: fc.constantFrom('', 'application/octet-stream', 'image/png', 'multipart/x-zip'),
    bytes,
  }),
);

/** As browsers write it (HTML, 4.10.22.8). */
const escaped = (some: string) => some.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const written = ({ name, filename, type, bytes }: Part): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"` +
        (filename === undefined ? '' : `; filename="${escaped(filename)}"`) +
        `${type === '' ? '' : `\r\nContent-Type: ${type}`}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
const end = Buffer.from(`--${boundary}--\r\n`);

type Entry = readonly [
  name: string,
  value: string | readonly [filename: string, type: string, bytes: string],
];

/** In the order of names, and of the values of each. */
const entriesOf = ({ values, files = new Map() }: ParsedBody): readonly Entry[] => [
  ...[...values].flatMap(([name, all]) => all.map((value): Entry => [name, value])),
  ...[...files].flatMap(([name, all]) =>
    all.map(({ name: filename, type, bytes }): Entry => [name, [filename, type, hex(bytes)]]),
  ),
];
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const grouped = (entries: readonly Entry[]): readonly Entry[] =>
  [true, false].flatMap((isText) => {
    const kind = entries.filter(([, value]) => (typeof value === 'string') === isText);
    return [...new Set(kind.map(([name]) => name))].flatMap((name) => kind.filter((one) => one[0] === name));
  });

test('a browser’s body is read back, with each name, file name and byte', () =>
  holds(100, [fc.array(part, { maxLength: 8 })], (parts) => {
    const body = Buffer.concat([...parts.map(written), end]);
    const parsed = parseMultipart(body, contentType);
    const sent = parts
      .filter(({ filename, bytes }) => filename !== '' || bytes.length > 0)
      .map(
        ({ name, filename, type, bytes }): Entry =>
          filename === undefined
            ? [name, Buffer.from(bytes).toString()]
            : [name, [filename, type, hex(bytes)]],
      );
    expect(parsed.ok && entriesOf(parsed.value)).toEqual(grouped(sent));
  }));

/** Parts of a body, in unexpected places. */
const pieces = [
  ...[
    `--${boundary}`,
    `\r\n--${boundary}`,
    `\r\n--${boundary}--`,
    `--${boundary}\r\n`,
    `--${boundary}--\r\n`,
  ],
  ...['\r\n', '\r\n\r\n', '\n', '\r', '--', ' ', '\0', '\uFEFF', 'Content-Disposition: form-data; name="a"'],
  ...['Content-Disposition: form-data; name="b"; filename="c"', 'content-disposition: form-data; name=d'],
  ...[
    ...["; filename*=utf-8''%C3%A4", '; filename="', '"', '\\"', ';', ' name="e"', 'x: y\r\n', ': '],
    ...['Content-Type: '],
  ],
  ...['Content-Type: multipart/mixed; boundary=x', 'Content-Transfer-Encoding: base64\r\n', 'text'],
];
const damaged = fc
  .tuple(
    fc.array(part, { maxLength: 4 }),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 30 }),
        fc.oneof(
          fc.constantFrom(...pieces).map((some) => Buffer.from(some)),
          fc.uint8Array({ maxLength: 3 }),
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([parts, changes]) => {
    let body = Buffer.concat([...parts.map(written), end]);
    for (const [place, length, some] of changes) {
      const at = place % (body.length + 1);
      body = Buffer.concat([body.subarray(0, at), some, body.subarray(at + length)]);
    }
    return body;
  });
const made = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...pieces).map((some) => Buffer.from(some)) },
      fc.uint8Array({ maxLength: 3 }),
    ),
    { maxLength: 25 },
  )
  .map((all) => Buffer.concat(all));
const anyBody = fc.oneof(
  { weight: 5, arbitrary: damaged },
  { weight: 4, arbitrary: made },
  fc.uint8Array({ maxLength: 99 }),
);

/** undici assumes text/plain for files without a type. */
const withoutTypes = (entries: readonly Entry[]) =>
  entries.map(([name, value]) => [name, typeof value === 'string' ? value : [value[0], value[2]]]);

/** Undici's reading; `undefined` if undici rejects the body. */
async function secondOpinion(body: Uint8Array): Promise<readonly Entry[] | undefined> {
  try {
    const response = new Response(Uint8Array.from(body), { headers: { 'content-type': contentType } });
    const entries: Entry[] = [];
    for (const [name, value] of await response.formData()) {
      if (typeof value === 'string') entries.push([name, value]);
      else if (value.name !== '' || value.size > 0)
        entries.push([name, [value.name, value.type, hex(new Uint8Array(await value.arrayBuffer()))]]);
    }
    return entries;
  } catch {
    return undefined;
  }
}

/** Bodies that are read differently on purpose, or that browsers write in a way that undici cannot read. */
const isDisputed = (body: Buffer) => /\\|\*=|^(?!--)|\uFEFF/s.test(body.toString());

test('any bytes are read or rejected, and undici reads them in the same way', async () => {
  let tried = 0;
  let agreed = 0;
  await holds(200, [anyBody], async (some) => {
    tried += 1;
    const body = Buffer.from(some);
    const parsed = parseMultipart(body, contentType);
    if (!parsed.ok) {
      expect(['multipart_malformed', 'body_not_utf8']).toContain(parsed.error.code);
      return;
    }
    const entries = entriesOf(parsed.value);
    const held = [...parsed.value.files.values()]
      .flat()
      .every(({ bytes }) => bytes.buffer === body.buffer || bytes.length === 0);
    expect(held).toBe(true);
    const other = isDisputed(body) ? undefined : await secondOpinion(body);
    if (!other) return;
    agreed += 1;
    expect(withoutTypes(entries)).toEqual(withoutTypes(grouped(other)));
  });
  // Otherwise the test would have compared nothing.
  expect(agreed).toBeGreaterThan(tried / 100);
});

test('a body that was read or rejected leaves nothing behind', () => {
  const bodies = fc.sample(fc.oneof(damaged, made), { numRuns: 500, seed: 1 });
  const readAll = (times: number) => {
    for (let i = 0; i < times; i += 1) parseMultipart(bodies[i % bodies.length] ?? end, contentType);
  };
  readAll(2_000);
  const before = heapMb();
  readAll(20_000);
  expect(heapMb() - before).toBeLessThan(2);
});
