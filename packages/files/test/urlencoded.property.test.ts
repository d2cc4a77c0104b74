import fc from 'fast-check';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { type HttpSink, startHttpSink, startRelay } from '../../../test/support/index.ts';
import { parseQuery, parseUrlencoded, writeUrlencoded } from '../../base/src/urlencoded.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

/** A second implementation of the format, byte by byte without optimization: WHATWG URL, 5.1, but strict. */
function oracle(bytes: Uint8Array): Pairs | undefined {
  try {
    return splitBytes(bytes, '&')
      .filter((pair) => pair.length > 0)
      .map((pair) => {
        const [name = new Uint8Array()] = splitBytes(pair, '=');
        return [decode(name), decode(pair.slice(name.length + 1))];
      });
  } catch {
    return undefined;
  }
}

function splitBytes(bytes: Uint8Array, separator: string): Uint8Array[] {
  const at = bytes.indexOf(separator.charCodeAt(0));
  return at < 0 ? [bytes] : [bytes.slice(0, at), ...splitBytes(bytes.slice(at + 1), separator)];
}

function decode(bytes: Uint8Array): string {
  const decoded: number[] = [];
  for (let i = 0; i < bytes.length; i += 1) {
    const character = String.fromCharCode(bytes[i] ?? 0);
    if (character === '%') {
      const hex = String.fromCharCode(...bytes.slice(i + 1, i + 3));
      if (!/^[0-9a-f]{2}$/i.test(hex)) throw new Error('malformed');
      decoded.push(Number.parseInt(hex, 16));
      i += 2;
    } else {
      decoded.push(character === '+' ? 0x20 : (bytes[i] ?? 0));
    }
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(decoded));
}

/** Values by name, in the order in which the names first appear. */
function grouped(pairs: Pairs): [string, string[]][] {
  const names = [...new Set(pairs.map(([name]) => name))];
  return names.map((name) => [name, pairs.filter((pair) => pair[0] === name).map(([, value]) => value)]);
}

const pieces = [
  ...[
    ...['&', '=', '+', ';', '%', '%4', '%zz', '%G0', '%0g', '% 1', '%00', '%0D%0A', '%26', '%3D', '%2B'],
    ...['%25', 'a'],
  ],
  ...[
    ...['__proto__', 'constructor', '?', '#', '\r\n', '\0', '%EF%BB%BF', '%C3%A9', '%c3%A9', 'é', '🙂'],
    ...['%F0%9F'],
  ],
  // Invalid UTF-8: lone bytes, overlong sequences, a surrogate, beyond Unicode.
  ...['%FF', '%C3', '%A9', '%C0%80', '%ED%A0%80', '%F4%90%80%80'],
];
const nasty = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...pieces).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)) },
);
const body = fc.array(nasty, { maxLength: 30 }).map((parts) => Buffer.concat(parts));

test('reads any bytes as the format says, or rejects them as malformed', () =>
  holds(800, [fc.oneof(body, fc.uint8Array({ maxLength: 200 }))], (bytes) => {
    const expected = oracle(bytes);
    expect(entries(parseUrlencoded(bytes))).toEqual(expected && grouped(expected));
  }));

const entries = (values: ReadonlyMap<string, readonly string[]> | undefined) => values && [...values];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    ...['', ' ', '\r\n', '\0', '%', '%41', '+', '&', '=', ';', '__proto__', '{{ env "HOME" }}', '\uFEFF'],
  ),
);

test('decodes every name and value that a browser encodes', () =>
  holds(800, [fc.array(fc.tuple(text, text), { maxLength: 10 })], (pairs) => {
    const encoded = new URLSearchParams(pairs).toString();
    expect(entries(parseUrlencoded(Buffer.from(encoded)))).toEqual(grouped(pairs));
  }));

test('encodes every name and value like URLSearchParams', async () => {
  // Includes halves of surrogate pairs, which are not characters.
  const any = fc.oneof(
    text,
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(fc.nat({ max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  );
  await holds(500, [fc.array(fc.tuple(any, fc.array(any, { maxLength: 3 })), { maxLength: 6 })], (named) => {
    const oracle = new URLSearchParams(
      named.flatMap(([name, values]) => values.map((value) => [name, value] as [string, string])),
    );
    expect(writeUrlencoded(named)).toBe(oracle.toString());
  });
});

test('reads a query like browsers, or rejects it as malformed', async () => {
  const query = fc
    .oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 20 }),
    )
    // URLSearchParams would treat it as the mark before a query.
    .filter((some) => !some.startsWith('?'));
  await holds(800, [query], (query) => {
    const values = parseQuery(query);
    // Browsers repair malformed queries.
    if (values) expect(entries(values)).toEqual(grouped([...new URLSearchParams(query)]));
    else expect(query).toContain('%');
  });
});

let sink: HttpSink;
beforeAll(async () => {
  sink = await startHttpSink();
});
afterAll(() => sink.close());

/** Names of a form, a field or an output key: any plain text. */
const name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map((some) => some.replaceAll(/\p{Cc}/gu, '-')),
  fc.constantFrom(
    ...['__proto__', 'constructor', 'toString', 'a b', 'a[]', 'a.b', '+', '%', '&', '=', '🙂', '\uFEFF'],
    ...['*'],
  ),
);

test('every value of every field reaches the output, in order, whatever it and the names are', async () => {
  const form = name.filter((id) => !/^\.{1,2}$/.test(id));
  const keys = fc.uniqueArray(fc.tuple(name, name), { minLength: 1, maxLength: 6, selector: ([key]) => key });
  await holds(
    runs(16, 0.02),
    [form, keys, fc.array(fc.tuple(fc.nat(), text), { maxLength: 12 })],
    async (id, mapping, sent) => {
      const names = [...new Set(mapping.map(([, field]) => field))];
      const pairs = sent.map(([pick, value]): [string, string] => [names[pick % names.length] ?? '', value]);
      const relay = await startRelay({ config: yaml(id, names, mapping) });
      try {
        expect((await relay.submit(id, pairs)).text).toBe('{"message":"ok"}');
        expect(oracle(sink.requests.at(-1)?.bytes ?? new Uint8Array())).toEqual(relayed(mapping, pairs));
      } finally {
        await relay.close();
      }
    },
  );
});

/** Keys in byte order, each with its field's non-empty values as they were sent. */
const relayed = (mapping: Pairs, pairs: Pairs): Pairs =>
  mapping
    .slice()
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap(([key, field]) =>
      pairs.flatMap(([sent, value]) => (sent === field && value !== '' ? [[key, value] as const] : [])),
    );

function yaml(id: string, names: readonly string[], mapping: Pairs): string {
  const map = (pairs: Pairs) =>
    `{${pairs.map(([key, field]) => `${quote(key)}: ${quote(field)}`).join(', ')}}`;
  const fields = names.map((field) => `{name: ${quote(field)}}`).join(', ');
  const output = `{type: http_post, url: "${sink.origin}/", mapping: ${map(mapping)}}`;
  return `forms:\n  ? ${quote(id)}\n  : {fields: [${fields}], outputs: [${output}]}\n`;
}

/** In double quotes, with all non-ASCII characters escaped. */
const quote = (plain: string) =>
  JSON.stringify(plain).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
