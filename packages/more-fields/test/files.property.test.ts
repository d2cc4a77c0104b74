/** Promises for any name and any bytes. */

import { acceptEntries, type Entry, kinds, kindsEnding } from '@form-relay/files/file_kinds';
import fc from 'fast-check';
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { holds } from '../../../test/support/fuzz.ts';
import { latin1, samples, zipOf } from '../../../test/support/sample_files.ts';
import { cleanName, distinctName, endingOf } from '../../base/src/file_names.ts';
import { takeFile } from '../../files/src/file.ts';
import { kindsOf } from '../../files/src/sniff.ts';
import { Diagnostics, Report } from '../../schema/src/diagnostics.ts';

const pieces = [
  ...['a', 'cv', '.', '..', '/', '\\', ' ', '\t', '\0', '\u202e', '\u2066', '\u200b', '\ufeff', '\ud800'],
  ...['\udc00'],
  ...['ä', 'a\u0308', '日本', '👍🏽', 'CON', 'com1', 'LPT\u00b9', 'nul', ':', '<', '>', '|', '?', '*', '"'],
  ...['%', '-', '~'],
  ...['.pdf', '.exe', '.tar.gz', '.html', '.docx', '.PDF', '.dwg', 'x'.repeat(90), 'é'.repeat(70)],
  ...[`.${'y'.repeat(30)}`],
];
const anyName = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

const isSafe = (name: string) => {
  expect(name).not.toBe('');
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toBe(name.normalize('NFC'));
  expect(Buffer.from(name).toString()).toBe(name);
  expect(name).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029<>:"/\\|?*]/u);
  expect(name).not.toMatch(/^[\s.]|[\s.]$/);
  expect(name).not.toMatch(/^(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\.|$)/i);
};

test('a name is safe, and cleaning it again changes nothing', () =>
  holds(200, [anyName, fc.constantFrom(undefined, 'pdf')], (sent, ending) => {
    const name = cleanName(sent, ending);
    isSafe(name);
    expect(cleanName(name)).toBe(name);
  }));

test('no two names are the same, and each is safe', () =>
  holds(
    50,
    [fc.array(fc.oneof(anyName, fc.constantFrom('cv.pdf', 'CV.pdf', 'é'.repeat(120))), { maxLength: 30 })],
    (sent) => {
      const used = new Set<string>();
      const names = sent.map((one) => distinctName(cleanName(one), used));
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
      for (const name of names) isSafe(name);
    },
  ));

const sample = fc.constantFrom(...Object.values(samples));
/** Random bytes, a sample, a damaged sample, and one sample after another. */
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
  sample,
  fc.tuple(sample, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 })).map(([bytes, changes]) => {
    const changed = Buffer.from(bytes);
    for (const [at, byte] of changes) changed[at % changed.length] = byte;
    return changed;
  }),
  fc.tuple(sample, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1))),
  fc.tuple(sample, sample).map((both) => Buffer.concat(both)),
);
const accept = (...entries: string[]): readonly Entry[] =>
  acceptEntries()(entries, new Diagnostics([], new Report(entries))) ?? [];
const anyAccept = fc.constantFrom(
  undefined,
  ...['pdf', 'image', 'office', 'text', 'audio', 'archive', 'svg', '.js', '.dwg', 'macro'].map((entry) =>
    accept(entry),
  ),
);
const anyType = fc.constantFrom(
  '',
  'application/octet-stream',
  'text/html',
  ...kinds.map(({ type }) => type),
);

/** Types that Outlook and browsers run or open, besides those in the table. */
const dangerous =
  /\.(html?|svg|js|vbs|ps1|bat|cmd|exe|com|scr|msi|lnk|url|jar|iso|zip|docm|xlsm|hta|reg|sh)$/i;

test('an accepted file is what the owner allows, under a name that agrees with its type', () =>
  holds(300, [anyName, anyType, anyBytes, anyAccept], (name, type, bytes, accepted) => {
    const taken = takeFile({ name, type, bytes: bytes as Uint8Array<ArrayBuffer> }, accepted);
    if (!taken.ok) return;
    isSafe(taken.value.name);
    expect(taken.value.bytes).toBe(bytes);
    const [first] = kindsOf(bytes);
    if (accepted) return;
    expect(taken.value.name).not.toMatch(dangerous);
    expect(first?.canHarm ?? false).toBe(false);
    const named = kindsEnding(endingOf(taken.value.name));
    if (named.length > 0) expect(named.map((kind) => kind.type)).toContain(taken.value.type);
  }));

test('reading any zip ends', async () => {
  const whole = zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w/>' });
  await holds(
    300,
    [fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 20 })],
    (changes) => {
      const zip = Buffer.from(whole);
      for (const [at, byte] of changes) zip[at] = byte;
      expect(() => kindsOf(zip)).not.toThrow();
    },
  );
});

test('bytes that only start like a file of some type give a description, or nothing', () => {
  const starts = [...Object.values(samples), latin1('PK\x05\x06'), latin1('PK\x03\x04PK\x05\x06')];
  for (const start of starts) {
    for (let length = 0; length <= 64; length += 1) {
      expect(() => kindsOf(start.subarray(0, length))).not.toThrow();
      expect(() => kindsOf(Buffer.concat([start.subarray(0, 8), Buffer.alloc(length)]))).not.toThrow();
    }
  }
});

test('detecting a file’s type takes at most linear time', () => {
  const patterns = [
    ...['PK\x05\x06', '<!--', ' ', '[internetshortcut]\n', '\0%PDF', '\x1b%-12345X@PJL', '<?xml <svg'],
    ...['\n\n', 'MZ'],
  ];
  for (const start of ['', 'PK\x03\x04', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', '<?xml ', '\x1b%-12345X@PJL']) {
    for (const pattern of patterns) {
      const bytes = Buffer.from(start + pattern.repeat(5_000_000 / pattern.length), 'latin1');
      const cpuMs = startCpuClock();
      kindsOf(bytes);
      // Usually takes a few milliseconds; quadratic time would take minutes.
      expect(cpuMs(), JSON.stringify(start + pattern)).toBeLessThan(2_000);
    }
  }
});
