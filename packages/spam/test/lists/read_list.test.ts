import { relayWith } from '../../../../test/support/index.ts';
import { spellings } from '../../../../test/support/spellings.ts';
import { ok } from '../../../base/src/result.ts';
import type { ListKind } from '../../src/lists/read_list.ts';
import { readList } from './mistakes_as_codes.ts';

/** Reads a list without mistakes. */
async function listOf<K extends ListKind>(kind: K, ...lines: readonly string[]) {
  const read = await readList(kind, lines.join('\n'));
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value.list;
}

/** Lists the mistakes as `code at offset+length`. */
async function problems(kind: ListKind, text: string): Promise<readonly string[]> {
  const read = await readList(kind, text);
  if (read.ok) return [];
  return read.error.map(({ finding, place }) => `${finding.code} at ${place.offset}+${place.length}`);
}

test('lines: entries exclude comments, blank lines, spaces, a byte-order mark and both kinds of line breaks', async () => {
  const text =
    '\uFEFFone.example\r\n# all that follows\r\n\r\n  two.example\t# theirs\n#three.example\nfour.example';
  const read = await readList('domains', text);
  expect(read.ok && read.value.entries).toBe(3);
  const has = (domain: string) => read.ok && read.value.list.has(domain);
  expect(['one', 'two', 'three', 'four', 'theirs'].map((one) => has(`${one}.example`))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('lines: a # within a word does not start a comment', async () =>
  expect((await listOf('addresses', 'a#b@example.com')).has('a#b@example.com')).toBe(true));

test.each(['example.com', 'EXAMPLE.com', 'a.b.example.com', 'example.com.'])(
  'domains: %s is listed',
  async (domain) => expect((await listOf('domains', 'example.com')).has(domain)).toBe(true),
);

test.each(['example.org', 'notexample.com', 'com', 'example.com.org', '', '.', '..', 'exa mple.com'])(
  'domains: "%s" is not',
  async (domain) => expect((await listOf('domains', 'example.com')).has(domain)).toBe(false),
);

test.each([
  ...['a@example.com', 'https://example.com/', 'example.com:443', 'exa mple.com', '-a.example'],
  ...['192.0.2.1'],
])('domains: "%s" is rejected', async (entry) => {
  expect(await problems('domains', `ok.example\n  ${entry}`)).toEqual([
    `list_entry_no_domain at 13+${entry.length}`,
  ]);
});

test.each(['ada@example.com', ' Ada@Example.COM ', 'ada+shop@example.com'])(
  'addresses: "%s" is listed',
  async (address) => expect((await listOf('addresses', 'ada@example.com')).has(address)).toBe(true),
);

test('addresses: each address is listed in all its spellings, and no other is', async () => {
  for (const row of spellings) {
    const list = await listOf('addresses', row[0] ?? '');
    expect(spellings.flat().filter((one) => list.has(one))).toEqual(row);
  }
});

test.each(['example.com', '@example.com', 'a@b@example.com', 'Ada <ada@example.com>'])(
  'addresses: "%s" is rejected',
  async (entry) =>
    expect(await problems('addresses', entry)).toEqual([`list_entry_no_address at 0+${entry.length}`]),
);

const count = async (text: string, ...lines: readonly string[]) =>
  (await listOf('words', ...lines)).count(text);

test.each([
  ['Best CASINO in town', 'casino'],
  ['rank on the first   page\nof Google!', 'first page of google'],
  ['Casíno', 'casino'],
  ['ca\u00adsi\u200bno', 'casino'],
  ['ｃａｓｉｎｏ', 'casino'],
  ['我们可以代开发票，请联系', '发票'],
  ['don’t miss it', "don't miss"],
])('words: "%s" has "%s"', async (text, phrase) => expect(await count(text, 'other words', phrase)).toBe(1));

test.each([
  ['casinos', 'casino'],
  ['the first google page', 'first page'],
  ['first', 'first page'],
  ['', 'casino'],
])('words: "%s" does not have "%s"', async (text, phrase) => expect(await count(text, phrase)).toBe(0));

test.each([
  ['!!!', 'list_entry_without_words at 0+3'],
  ['one two three four five six seven eight nine', 'list_phrase_too_long at 0+44'],
])('words: "%s": %s', async (entry, problem) => expect(await problems('words', entry)).toEqual([problem]));

test('an entry that is far too long is reported without parsing it', async () => {
  const long = 'a'.repeat(5_000_000);
  expect(await problems('words', long)).toEqual(['list_entry_too_long at 0+5000000']);
});

const config = (lists: string) => `
forms:
  contact:
    fields: [{name: message}]
    spam: {doubt: observe, signals: {blocklist: ${lists}}}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", on_error: continue}]
`;

test('the lists of a config in a bucket are read from there, and not sent again while they are unchanged', async () => {
  const objects: Record<string, string> = {
    'site/webform.yaml': config('{words: lists/words.txt}'),
    'site/lists/words.txt': 'casino',
  };
  const requests: string[] = [];
  const relay = await relayWith({
    env: { CONFIG_BUCKET: 'bucket', CONFIG_KEY: 'site/webform.yaml' },
    effects: {
      readObject: async ({ key, etag }) => {
        const text = objects[key] ?? '';
        requests.push(`${key} ${etag === text ? 'again' : 'anew'}`);
        return etag === text ? 'not_modified' : { text, etag: text };
      },
      // No delivery leaves the test.
      http: async () => ({ status: 200, headers: {}, body: '' }),
    },
  });
  const points = async () => {
    await relay.submit('contact', [['message', 'Your casino']]);
    const line = relay.logged.findLast(({ event }) => event === 'submission');
    return (line?.signals as Record<string, number> | undefined)?.blocklist;
  };
  expect(await points()).toBe(6);
  relay.advance(30_000);
  expect(await points()).toBe(6);
  objects['site/lists/words.txt'] = 'poker';
  relay.advance(30_000);
  expect(await points()).toBeUndefined();
  expect(requests).toEqual([
    'site/webform.yaml anew',
    'site/lists/words.txt anew',
    'site/webform.yaml again',
    'site/lists/words.txt again',
    'site/webform.yaml again',
    // The first request notices the change, and the second reads the list.
    'site/lists/words.txt anew',
    'site/lists/words.txt again',
  ]);
});

test('a list that several forms name is read once, and once per kind', async () => {
  const read: string[] = [];
  const form = (lists: string) =>
    `{fields: [{name: m}], spam: {doubt: observe, signals: {blocklist: ${lists}}}, outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`;
  const text = `forms: {a: ${form('{words: l.txt}')}, b: ${form('{words: l.txt}')}, c: ${form('{domains: l.txt}')}}`;
  const { get } = await relayWith({
    env: { CONFIG_FILE: 'webform.yaml' },
    effects: {
      readFile: async (path) => {
        read.push(path);
        return ok({ text: path === 'l.txt' ? 'cheap.example' : text, modifiedAt: 0 });
      },
      sleep: async () => {},
    },
  });
  expect((await get('/readyz')).status).toBe(200);
  expect(read.filter((path) => path === 'l.txt')).toHaveLength(2);
});
