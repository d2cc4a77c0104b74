import fc from 'fast-check';
import { startCpuClock } from '../../../test/support/cpu_clock.ts';
import { holds, property } from '../../../test/support/fuzz.ts';
import { documentName, fileName, folderOf, stemOf } from '../../more-outputs/src/archive_layout.ts';
import type { Choice, Entry } from '../src/archive/archive.ts';
import { record } from '../src/archive/export.ts';
import { entriesAmongKeys, type ListKeys } from '../src/archive/in_bucket.ts';
import { entriesInTree, type Tree } from '../src/archive/in_folder.ts';

/** A few forms that sort differently with a slash after their names, and times around the ends of days and years. */
const places = fc.record({
  form: fc.constantFrom('a', 'a-b', 'a0', 'ü', '.'),
  receivedAt: fc
    .tuple(
      fc.constantFrom('2025-12-31', '2026-01-01', '2026-02-28', '2026-03-01'),
      fc.constantFrom('00:00:00.000', '12:00:00.000', '23:59:59.999'),
    )
    .map(([day, time]) => Date.parse(`${day}T${time}Z`)),
  id: fc.stringMatching(/^[a-f\d]{4}$/),
  isSealed: fc.boolean(),
  files: fc.nat(3),
});
const moments = fc.constantFrom(
  '2025-06-01T00:00:00Z',
  '2025-12-31T12:00:00Z',
  '2026-01-01T00:00:00Z',
  '2026-02-28T12:00:00.001Z',
  '2026-04-01T00:00:00Z',
);
const choices = fc.record(
  {
    form: fc.constantFrom('a', 'a-b', 'none'),
    since: moments.map(Date.parse),
    until: moments.map(Date.parse),
  },
  { requiredKeys: [] },
);

type Place = typeof places extends fc.Arbitrary<infer P> ? P : never;

function keysOf({ id, isSealed, files, ...at }: Place): readonly string[] {
  const place = { ...at, deliveryId: `${id}-0` };
  const [folder, stem] = [folderOf(place), stemOf(place)];
  const names = Array.from({ length: files }, (_, nth) =>
    isSealed ? `${stem}/${nth + 1}.age` : fileName(stem, nth + 1, 'a b.txt'),
  );
  return [`${documentName(stem)}${isSealed ? '.age' : ''}`, ...names].map((name) => `${folder}/${name}`);
}

const isChosen = ({ form, receivedAt }: Place, choice: Choice) =>
  (choice.form === undefined || form === choice.form) &&
  (choice.since === undefined || receivedAt >= choice.since) &&
  (choice.until === undefined || receivedAt < choice.until);

/** A bucket that lists keys by their bytes, like S3. */
const bucketOf = (keys: readonly string[], pageSize: number): ListKeys =>
  async function* (prefix, after) {
    const found = keys.filter((key) => key.startsWith(prefix) && key > after).toSorted();
    for (let at = 0; at === 0 || at < found.length; at += pageSize)
      yield { keys: found.slice(at, at + pageSize), isLast: at + pageSize >= found.length };
  };

const treeOf = (keys: readonly string[]): Tree => ({
  async *list(folder) {
    const inside = keys.filter((key) => folder === '' || key.startsWith(`${folder}/`));
    const rests = inside.map((key) => key.slice(folder === '' ? 0 : folder.length + 1));
    const kinds = new Map(rests.map((rest) => [rest.replace(/\/.*/, ''), rest.includes('/')] as const));
    for (const [name, isFolder] of [...kinds].toSorted()) yield { name, kind: isFolder ? 'folder' : 'file' };
  },
});

async function idsOf(entries: AsyncIterable<Entry>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { form, receivedAt, id, isSealed } of entries)
    found.push([form, receivedAt, id, isSealed].join(' '));
  return found;
}

const neverReported = () => expect.unreachable('something of an archive was taken for foreign');

test('every selected submission is found once, in a folder and in a bucket, for any page size', () =>
  holds(
    30,
    [
      fc.uniqueArray(places, { selector: (place) => keysOf(place)[0] }),
      choices,
      fc.integer({ min: 1, max: 12 }),
    ],
    async (all, choice, pageSize) => {
      const keys = all.flatMap(keysOf);
      const expected = all
        .filter((place) => isChosen(place, choice))
        .map(({ form, receivedAt, id, isSealed }) => [form, receivedAt, id, isSealed].join(' '));
      const inBucket = await idsOf(entriesAmongKeys(bucketOf(keys, pageSize), choice, neverReported));
      const inTree = await idsOf(entriesInTree(treeOf(keys), choice, neverReported));
      expect(inBucket.toSorted()).toEqual(expected.toSorted());
      expect(inTree.toSorted()).toEqual(expected.toSorted());
      const times = inBucket.map((one) => one.split(' ').slice(0, 2).join(' '));
      for (const form of new Set(all.map((place) => place.form))) {
        const own = times.filter((one) => one.startsWith(`${form} `));
        expect(own).toEqual(own.toSorted());
      }
    },
  ));

test('pages of other days and forms are skipped', async () => {
  const forms = ['a', 'a-b', 'ü'] as const;
  const days = Array.from({ length: 600 }, (_, nth) => Date.parse('2025-01-01T00:00:00Z') + nth * 86_400_000);
  const keys = forms.flatMap((form) =>
    days.flatMap((receivedAt) => keysOf({ form, receivedAt, id: 'id', isSealed: false, files: 0 })),
  );
  let pages = 0;
  const counted: ListKeys = async function* (...args) {
    for await (const page of bucketOf(keys, 10)(...args)) {
      pages += 1;
      yield page;
    }
  };
  const [since, until] = [days[300], days[305]];
  expect(await idsOf(entriesAmongKeys(counted, { since, until }, neverReported))).toHaveLength(15);
  expect(pages).toBeLessThan(12);
});

test('a file that is not part of an archive is reported, and never taken for an entry', async () => {
  const foreign = [
    ...['notes.txt', 'contact/notes.txt', 'contact/2026/13/01/20261301T000000000Z-a-0.json'],
    ...['contact/2026/02/30/20260230T000000000Z-a-0.json'],
    ...['contact/2026/02/28/20260227T000000000Z-a-0.json', 'contact/2026/02/28/x.json'],
    ...['cont%zzact/2026/02/28/20260228T000000000Z-a-0.json'],
    ...['con%74act/2026/02/28/20260228T000000000Z-a-0.json'],
    ...['contact/2026/02/28/deeper/20260228T000000000Z-a-0.json'],
  ];
  const reported: string[] = [];
  const found = await idsOf(
    entriesAmongKeys(bucketOf(foreign, 3), {}, ({ path }) => void reported.push(path)),
  );
  expect(found).toEqual([]);
  expect(reported.toSorted()).toEqual(foreign.toSorted());
  expect(await idsOf(entriesInTree(treeOf(foreign), {}, () => {}))).toEqual([]);
});

/** A reader of RFC 4180 that shares no code with the writer; `separator` is the user's setting. */
function readCsv(text: string, separator = ','): readonly (readonly string[])[] {
  const records: string[][] = [];
  let [cells, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] !== '"') isQuoted = false;
      else {
        cell += char;
        at += 1;
      }
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === separator) {
      cells.push(cell);
      cell = '';
    } else if (char === '\r' || char === '\n') {
      records.push([...cells, cell]);
      [cells, cell] = [[], ''];
      if (char === '\r' && text[at + 1] === '\n') at += 1;
    } else cell += char;
  }
  return cell === '' && cells.length === 0 ? records : [...records, [...cells, cell]];
}

/** Characters that start formulas, and those around them. */
const nasty = fc.string({ unit: fc.constantFrom(...'=+-@＝＋－＠\'";,|\t\r\n a1'.split('')), maxLength: 12 });
const texts = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 4 });

/** Some readers ignore leading white space. */
const isFormula = (cell: string) => /^\s*[=+\-@＝＋－＠]/.test(cell);

describe('a record', () => {
  property('is read as it was written, but for the apostrophes before formulas', 50, [texts], (cells) => {
    const [read = [], ...more] = readCsv(record(cells));
    expect(more).toEqual([]);
    expect(read.length).toBe(cells.length);
    const bare = (text: string) => text.replaceAll("'", '');
    expect(read.map(bare)).toEqual(cells.map(bare));
  });

  test.each([',', ';', '\t'])('has no formula for a reader whose separator is %j', (separator) =>
    holds(50, [texts], (cells) => {
      expect(readCsv(record(cells), separator).flat().filter(isFormula)).toEqual([]);
    }),
  );

  test('takes linear time, whatever it contains', () => {
    const long = `${';"\n'.repeat(300_000)}=`;
    const cpuMs = startCpuClock();
    record([long]);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});
