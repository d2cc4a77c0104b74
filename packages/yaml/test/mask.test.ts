import { expect, test } from 'vitest';
import { maskText } from '../../../apps/mcp/src/config_secrets.ts';
import { readDocument } from '../src/document.ts';
import { maskLine } from '../src/mask.ts';

/** Each line: the promise, a line, and how it is shown. */
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
  [
    'a value that looks like a secret key',
    '{password: "secret: x", to: b}',
    '{password: •••••••••••, to: b}',
  ],
  ['a value with its quotes in it', "{password: 'it''s', to: b}", '{password: •••••••, to: b}'],
  ['a value with an escaped quote', '{password: "a\\"b", to: b}', '{password: ••••••, to: b}'],
  ['a value before a quoted key', '{password: x, "to": b}', '{password: •, "to": b}'],
  ['a value before the last brace', '{password: x } # note', '{password: ••} # note'],
  ['a value before a brace in a list', '[{password: x}, {to: b}]', '[{password: •}, {to: b}]'],
  [
    'all after a comma that may be of the value',
    '{password: hun,ter2, to: b}',
    '{password: ••••••••••••••••',
  ],
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

test.each(lines)('masks %s', (_, line, shown) => {
  expect(maskLine(line)).toBe(shown);
});

/** In these, ‹ and › are around what is masked. */
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

test('masks, in a comment that is not YAML, all below the first key of a secret', () => {
  const marked = 'See: the: docs\npassword: ‹"a›\n  ‹b"›\n\n‹to: a›\n';
  expect(readDocument(unmarked(marked)).ok).toBe(false);
  expect(maskText(unmarked(marked))).toBe(asShown(marked));
});

test('a line with thousands of secrets is masked about as quickly as it is read', () => {
  const secrets = (mark: string) =>
    `{${Array.from({ length: 8_000 }, () => `password: ${mark}`).join(', ')}}`;
  expect(maskLine(secrets('hunter2'))).toBe(secrets('•••••••'));
});
