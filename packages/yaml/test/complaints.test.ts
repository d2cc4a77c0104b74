/** Error messages about invalid YAML, and their places. */

import { maskText } from '@form-relay/mcp/bounds';
import { YAMLException } from 'js-yaml';
import { readDocument } from '../src/document.ts';
import { maskLine } from '../src/mask.ts';
import { misreadOf } from '../src/misread.ts';

/** Each line has a YAML text, with the place of the mistake in «», and the mistake's code. */
test.each([
  ['title: It’s new«:» now', 'yaml_colon_unquoted'],
  ['title: It’s new«:» {{ x }}', 'yaml_text_with_template_unquoted'],
  // A dash before a key at the start of a line.
  ['a:\n  - b: c\n  «-»"name": d', 'dash_without_space'],
  ["a:\n  - b: c\n  «-»'name': d", 'dash_without_space'],
  ['a:\n  - b: c\n  «-»1: d', 'yaml_indented_differently'],
  ['title: see -note«:» this', 'yaml_colon_unquoted'],
  // An apostrophe within a word that ends a text in single quotes
  ["title:  'We«'»re glad'", 'yaml_apostrophe'],
  ["title: 'It''s Ann«'»s'", 'yaml_apostrophe'],
  ["title: 'Hello!'«x» it's", 'yaml_text_after_value'],
  ["title: 'a' «b»'s: x", 'yaml_text_after_value'],
  // A quote that ends a text in double quotes
  ['title:  "Say "«h»i" now"', 'yaml_quote_inside'],
  ['"Say "«h»i"": x', 'yaml_quote_inside'],
  ['{a: "x", b: «@»y}', 'yaml_start_unquoted'],
  ['options: ["a"«}», b', 'yaml_comma_missing'],
  // A template without quotes, or with the same quotes inside.
  ['to: «{{»x}}', 'yaml_template_unquoted'],
  ['- «{{» x }}', 'yaml_template_unquoted'],
  ['static: {a:  «Form »{{ .form.id }}}', 'yaml_text_with_template_unquoted'],
  ['to: "{{ x "«y»" }}"', 'yaml_template_in_double_quotes'],
  // A missing or an extra colon.
  ['a\n  b«:» c', 'yaml_colon_missing_above'],
  ['a b\n  b«:» c', 'yaml_colon_missing_above'],
  ['title: «`»new', 'yaml_start_unquoted'],
  // A line in the wrong column.
  ['a:\n  b: c\n «d»: e', 'yaml_indented_differently'],
  ['a: b\n  c«:» d', 'yaml_colon_missing_above'],
  ['a:\n  - b: c\n  «d»: e', 'yaml_dash_missing'],
  ['a:\n  - {b: c}\n\n    # d\n  «{»d: e}', 'yaml_dash_missing'],
  ['a:\n  - b\n«-» c', 'yaml_belongs_nowhere'],
  ['a: []\n  «-» b: c', 'yaml_indented_differently'],
  // A tab.
  ['a:\n«\t»b: c', 'yaml_tab'],
  ['a:\n  b: c\n  «\t»d: e', 'yaml_tab'],
  // Other mistakes.
  ['a: b\n  c\nd«»', 'yaml_colon_missing'],
  ['a: [b,\n  c]\n  «d»: e', 'yaml_indented_differently'],
  ['a: b}\n«}»', 'yaml_belongs_nowhere'],
  // The end of the text, where something is missing.
  ['a: "b«»', 'yaml_quote_never_closed'],
  ["a: 'b«»", 'yaml_quote_never_closed'],
  ['a: [b«»', 'yaml_bracket_never_closed'],
  ['a: b\nc«»', 'yaml_colon_missing'],
])('%s is %s', (marked, code) => {
  const read = readDocument(marked.replaceAll(/[«»]/g, ''));
  if (read.ok) expect.unreachable();
  const offset = marked.indexOf('«');
  const length = Math.max(1, marked.indexOf('»') - offset - 1);
  expect(misreadOf(read.error)).toMatchObject({ code, place: { offset, length } });
});

const config = `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, required: true}
      - name: topics
        options:
          - sales
          - support
      - name: message
        label: >
          What do you
          want to say?
    outputs:
      - type: smtp
        host: smtp.example.com
`;

test('a line in any wrong column has our own message, at that line or where it first matters', () => {
  const lines = config.trimEnd().split('\n');
  for (const [number, line] of lines.entries()) {
    for (let column = 0; column < 16; column += 1) {
      const moved = lines.with(number, ' '.repeat(column) + line.trimStart());
      const read = readDocument(moved.join('\n'));
      if (read.ok) continue;
      const { code, place } = misreadOf(read.error);
      expect([number, column, code]).not.toEqual([number, column, 'yaml_refused']);
      expect(moved.slice(0, number).join('\n').length).toBeLessThanOrEqual(place.offset);
    }
  }
});

/** The parser's own message, if there is no better explanation. */
const complaint = (reason: string) => {
  const mark = { position: 0, line: 0, column: 0, name: '', buffer: 'a' };
  const error = Object.assign(new YAMLException(reason), { reason, mark });
  return misreadOf({ error, text: 'a', events: [] });
};

test.each(['"hunter2"', "'hunter2' here", '`hunter2`', '<hunter2>', '!hunter2', '"hunter2\n'])(
  'a quotation in the parser’s message, such as %j, may be a password',
  (quoted) => {
    const expected = { code: 'yaml_refused', message: 'odd words' };
    expect(complaint(`odd words ${quoted}`)).toMatchObject(expected);
    expect(complaint(`odd words${quoted}`)).toMatchObject(expected);
  },
);

test.each([new RangeError('hunter2'), new YAMLException('hunter2'), 'hunter2'])(
  'other failures are not quoted (%s)',
  (error) => {
    const misread = misreadOf({ error, text: 'a', events: [] });
    expect(misread).toMatchObject({ code: 'yaml_unreadable', place: { offset: 0, length: 0 } });
    expect(misread.message).not.toContain('hunter2');
  },
);

test.each([
  ['a colon in every third place', 'a: '.repeat(3_000), 'yaml_colon_unquoted'],
  ['the same, and a quote', `${'a: '.repeat(100_000)}b: "c" d`, 'yaml_colon_unquoted'],
  ['the same, before a template', `${'a: '.repeat(3_000)}" {{ x }}: b`, 'yaml_text_with_template_unquoted'],
])('a long line with %s takes no longer than other lines', (_, yaml, code) => {
  const document = readDocument(yaml);
  expect(document.ok ? undefined : misreadOf(document.error).code).toBe(code);
});

/** Each line has the promise, a line, and how it is shown. */
const lines: readonly (readonly [promise: string, line: string, shown: string])[] = [
  ['a value', 'password: hunter2', 'password: •••••••'],
  ['a value up to the end of its line', 'secret: a, b} # c', 'secret: •••••••••'],
  ['a value in a list', '- - password: hunter2', '- - password: •••••••'],
  ['a quoted key', '"password" : hunter2', '"password" : •••••••'],
  ['a key in the other quotes', "'username': hunter2", "'username': •••••••"],
  ['a mistyped key', 'pasword: hunter2', 'pasword: •••••••'],
  ['a mistyped header', 'authorisation: hunter2', 'authorisation: •••••••'],
  ['no key that merely ends like one', 'no-password: seen', 'no-password: seen'],
  ['no key that merely starts like one', 'password-rules: seen', 'password-rules: seen'],
  ['a value up to the end of an indented line', '    secret: a, b: c', '    secret: •••••••'],
  ['a value with a line separator in it', 'password: hunter\u20282', 'password: ••••••••'],
  ['a value that is a word for signing in', 'password: login', 'password: •••••'],
  ['a value in braces', '{host: a, password: hunter2, to: b}', '{host: a, password: •••••••, to: b}'],
  ['two values in braces', '{password: one, secret: two}', '{password: •••, secret: •••}'],
  ['a value that looks like a key', '{password: "secret: x", to: b}', '{password: •••••••••••, to: b}'],
  ['a value with its quotes in it', "{password: 'it''s', to: b}", '{password: •••••••, to: b}'],
  ['a value with an escaped quote', '{password: "a\\"b", to: b}', '{password: ••••••, to: b}'],
  ['a value before a quoted key', '{password: x, "to": b}', '{password: •, "to": b}'],
  ['a value before the last brace', '{password: x } # note', '{password: ••} # note'],
  ['a value before a brace in a list', '[{password: x}, {to: b}]', '[{password: •}, {to: b}]'],
  ['all after a comma of the value', '{password: hun,ter2, to: b}', '{password: ••••••••••••••••'],
  ['no value, where there is none', '{password: , to: b}', '{password: , to: b}'],
  ['all after a value that may go on', '{password: hun{ter2, to: b}', '{password: ••••••••••••••••'],
  ['a value before a key without a space', '{password: x,to: b}', '{password: •,to: b}'],
  ['a value before a key with a space behind it', '{password: x, "to" : b}', '{password: •, "to" : b}'],
  ['a quoted value before a space', '{password: "x" , to: b}', '{password: ••••, to: b}'],
  ['a value before several braces', '[{a: {password: x} } ]', '[{a: {password: •} } ]'],
  ['a value before the comma of a line', '{password: x,', '{password: •,'],
  ['a map of headers', '{headers: {A: x}, to: b}', '{headers: ••••••••••••••'],

  ['not how an output signs in', '{auth: oauth2, password: hunter2}', '{auth: oauth2, password: •••••••}'],
  ['no way to sign in', 'auth: login', 'auth: login'],
  ['no way to sign in, in quotes', '{auth:  "plain" , to: b}', '{auth:  "plain" , to: b}'],
  ['no way to sign in, by its other name', "{auth: 'xoauth2'}", "{auth: 'xoauth2'}"],
  ['a password that ends like a way to sign in', 'auth: my login', 'auth: ••••••••'],
  ['a password that begins like one', 'auth: login1', 'auth: ••••••'],
  ['a password under auth', '{auth: hunter2}', '{auth: ••••••••'],

  ['credentials in a URL', 'url: https://a:b@example.com/', 'url: https://•••@example.com/'],
  ['credentials in each URL', '[http://a@b, http://c@d]', '[http://•@b, http://•@d]'],
  ['a key of a server', 'keys_env: [frk_abc-d, KEY_SHOP]', 'keys_env: [•••••••••, KEY_SHOP]'],
  ['no address', 'to: a@example.com', 'to: a@example.com'],
  ['no path or query with an at sign', 'url: https://a.example/b/?c=@d', 'url: https://a.example/b/?c=@d'],
];

test.each(lines)('masks %s', (_, line, shown) => expect(maskLine(line)).toBe(shown));

/** ‹ and › mark what is masked. */
const unmarked = (marked: string) => marked.replaceAll(/[‹›]/g, '');
const asShown = (marked: string) =>
  marked.replaceAll(/‹([^›]*)›/g, (_, secret: string) => '•'.repeat(secret.length));

test.each<[promise: string, marked: string]>([
  ['headers', 'headers:\n  X-Key: "‹a: b›"\n  Y-Key:\n    ‹c›'],
  ['a header without a value', 'headers:\n  ‹X-Key›'],
  ['headers in a list', 'headers:\n  - X-Key: ‹a›\n  - - ‹b›'],
  ['headers in braces', '- {headers: ‹{A: x,›\n   B: ‹y›}, to: b}'],
  ['headers in braces of JSON', '{"headers": ‹{"A": "b",›\n"C": "‹d›"},\n"to": "b"}'],
  ['headers of a misspelled key', 'heades:\n  A: ‹x›\nurl: y'],
  ['a header of the name of a key', 'headers:\n  auth: ‹login›'],
  ['a text of several lines', 'password: ‹|›\n  ‹hunter2›\n\n  ‹# hunter3›\nto: a'],
  ['quoted texts of several lines', 'password: ‹"a›\n   ‹b: c›" ‹# d›\nto: a'],
  ['a text with a line separator in it', 'secret:\n  ‹hunter›\u2028‹2›\nto: a'],
  ['texts at any depth', 'service_account:\n  a:\n    b: ‹c›\nto: a'],
  ['texts below a key', 'password:\n  - ‹a›\n  - [‹b›, ‹c›]\nto: a'],
  ['texts below a misspelled key', 'pasword:\n  - ‹a›\nto: a'],
  ['no text below another key of a misspelled one', 'pasword:\n  a:\n    b: c'],
  [
    'comments below a key',
    'headers:\n  ‹# X: a›\n  Y: | ‹# b›\n    ‹c›\n\n    ‹# d›\n# e\nto: a # b\nin:\n- secret: ‹a›\n    ‹# b›\n  # c',
  ],
  ['the value of an alias', 'a: &a ‹b›\nheaders: ‹*a›'],
  ['the secret of a signature', 'sign:\n  ‹a›\nto: a'],
  ['the secret of a misspelled one', 'sing:\n  ‹a›\nto: a'],
  ['no variable', 'sign: {secret_env: KEY}\nkeys_env: [KEY]\n'],
  ['texts in place of variables', 'secret_env: ‹a-b›\nkeys_env:\n  - "‹0›"\n  - KEY'],
  ['keys in place of variables', `keys_env: [‹${'a1b2c3d4e5f'.repeat(3)}›, KEY]`],
  ['nothing in a form that has the name of a key', 'forms:\n  headers:\n    token: ‹a›\n    to: a'],
])('masks, in YAML, %s', (_, marked) => {
  expect(readDocument(unmarked(marked)).ok).toBe(true);
  expect(maskText(unmarked(marked))).toBe(asShown(marked));
});

test('masks, in a comment that is not YAML, everything from the first secret key on', () => {
  const marked = 'See: the: docs\npassword: ‹"a›\n  ‹b"›\n\n‹to: a›\n';
  expect(readDocument(unmarked(marked)).ok).toBe(false);
  expect(maskText(unmarked(marked))).toBe(asShown(marked));
});

test('masking a line with thousands of secrets takes about as long as reading it', () => {
  const secrets = (mark: string) =>
    `{${Array.from({ length: 8_000 }, () => `password: ${mark}`).join(', ')}}`;
  expect(maskLine(secrets('hunter2'))).toBe(secrets('•••••••'));
});

/** How large a config may be. */

const codeOf = (yaml: string) => {
  const read = readDocument(yaml);
  return read.ok ? undefined : misreadOf(read.error).code;
};

test('a text has at most 16 MB', () => {
  const comment = (characters: number) => `a: b #${'-'.repeat(characters - 6)}`;
  expect(codeOf(comment(16 * 1024 * 1024))).toBeUndefined();
  expect(codeOf(comment(16 * 1024 * 1024 + 1))).toBe('config_too_large');
});

test('aliases may expand to ten times the size plus 100,000 nodes', () => {
  const list = `a: &a [${'x,'.repeat(34)}]\n`;
  const withAliases = (count: number) => `${list}b: [${'*a,'.repeat(count)}]`;
  // The 44 and 4,016 parser events yield 40 and 4,016 * 35 nodes, which is 10 * (44 + 4,016) + 100,000.
  expect(codeOf(withAliases(4_016))).toBeUndefined();
  expect(codeOf(withAliases(4_017))).toBe('yaml_aliases_too_large');
});
