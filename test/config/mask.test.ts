import { expect, test } from 'vitest';
import { maskLine } from '../../packages/relay/src/config/mask.ts';

/** Each line: the promise, a config that ends with the line in question, and how that line is shown. */
const lines: readonly (readonly [promise: string, text: string, shown: string])[] = [
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

  ['a header', 'headers:\n  X-Key: a: b', '  X-Key: ••••'],
  ['a header with space before its value', 'headers:\n  X-Key :   a', '  X-Key :   •'],
  ['a header without a space', 'headers:\n  X-Key', '  •••••'],
  ['a header after others', 'headers:\n  A: x\n\n  # note\n  B: y', '  B: •'],
  ['a header of mistyped headers', 'header:\n  A: x', '  A: •'],
  ['a header in a list', '- headers:\n    A: x', '    A: •'],
  ['a header under a quoted key', '"headers":\n  A: x', '  A: •'],
  ['a header with a line separator in it', 'headers:\n  A: hunter\u20282', '  A: ••••••••'],
  ['a further line of a header', 'headers:\n  A: "x\n    b: hunter2', '    ••••••••••'],
  ['headers in braces of their own', 'headers: {\n  A: x,', '  A: ••'],
  ['a further line of headers in braces', '- {headers: {A: x,\n   B: y}, to: b}', '   •••••••••••••'],
  ['headers in braces, however indented', '  headers: {A: x,\n  B: y,\n  C: z}', '  •••••'],
  ['headers in braces of their own, however indented', '  headers: {\n  A: x,', '  A: ••'],
  ['nothing after headers in braces', '  headers: {A: x,\n  B: y}\n  url: y', '  url: y'],
  ['nothing after the headers', 'headers:\n  A: x\nurl: y', 'url: y'],
  ['nothing beside the headers', '  headers:\n    A: x\n  url: y', '  url: y'],

  ['not how an output signs in', '{auth: oauth2, password: hunter2}', '{auth: oauth2, password: •••••••}'],
  ['no way to sign in', 'auth: login', 'auth: login'],
  ['no way to sign in, in quotes', '{auth:  "plain" , to: b}', '{auth:  "plain" , to: b}'],
  ['no way to sign in, by its other name', "{auth: 'xoauth2'}", "{auth: 'xoauth2'}"],
  ['a password that ends like a way to sign in', 'auth: my login', 'auth: ••••••••'],
  ['a password that begins like one', 'auth: login1', 'auth: ••••••'],
  ['a password under auth', '{auth: hunter2}', '{auth: ••••••••'],
  ['a header that is called so', 'headers:\n  auth: login', '  auth: •••••'],

  ['a further line of a value', 'password: |\n  hunter2', '  •••••••'],
  ['a value below its key', 'a:\n  secret:\n    - hunter2', '    •••••••••'],
  ['a further line after comments and empty lines', 'secret: >\n\n# note\n  hunter2', '  •••••••'],
  ['a further line at the start of the text', 'password: "\n hunter2', ' •••••••'],
  ['the second further line of a value', 'secret:\n  a\n   hunter2', '   •••••••'],
  [
    'a further line of a value in braces',
    '- {to: b, password: "x\n    hunter2", port: 25}',
    '    •••••••••••••••••••',
  ],
  [
    'a value below its key in braces',
    '- {to: b, password:\n    hunter2, port: 25}',
    '    ••••••••••••••••••',
  ],
  ['the same, indented too little', '- {to: b, password:\nhunter2, a: b}', '••••••••••••••'],
  ['no key below a value in braces', '- {to: b, password:\nport:', 'port:'],
  ['a further line beside a key', 'secret:\n  a: b\n  hunter2', '  •••••••'],
  ['a further line after one with a colon', 'secret:\n  a b: c\n   hunter2', '   •••••••'],
  ['nothing below a value in braces that ended', '- {password: x, to: b,\n   port: 25}', '   port: 25}'],
  ['nothing below the comma of a value', '- {to: b, password: x,\n   port: 25}', '   port: 25}'],
  ['nothing below another key of a map', 'secret:\n  ab:\n    b: seen', '    b: seen'],
  ['nothing below a quoted key of a map', 'secret:\n  "a" :\n    b: seen', '    b: seen'],
  ['nothing that stands further left', '  password: x\n other: y', ' other: y'],
  ['no line that is empty', 'password: x\n', ''],

  ['credentials in a URL', 'url: https://a:b@example.com/', 'url: https://•••@example.com/'],
  ['credentials in each URL', '[http://a@b, http://c@d]', '[http://•@b, http://•@d]'],
  ['a key of a server', 'keys_env: [frk_abc-d, KEY_SHOP]', 'keys_env: [•••••••••, KEY_SHOP]'],
  ['no address', 'to: a@example.com', 'to: a@example.com'],
  ['no path or query with an at sign', 'url: https://a.example/b/?c=@d', 'url: https://a.example/b/?c=@d'],
];

test.each(lines)('masks %s', (_, text, shown) => {
  const lineStart = text.lastIndexOf('\n') + 1;
  expect(maskLine(text, lineStart, text.slice(lineStart))).toBe(shown);
});

test('looks for the key that a line stands under in the 200 lines above it', () => {
  const under = (lines: number) => {
    const text = `secret: |\n${'\n'.repeat(lines)}  hunter2`;
    return maskLine(text, text.lastIndexOf('\n') + 1, '  hunter2');
  };
  expect([under(0), under(199), under(200)]).toEqual(['  •••••••', '  •••••••', '  hunter2']);
});

test('a line with thousands of secrets is masked about as quickly as it is read', () => {
  const secrets = (mark: string) =>
    `{${Array.from({ length: 8_000 }, () => `password: ${mark}`).join(', ')}}`;
  expect(maskLine(secrets('hunter2'), 0, secrets('hunter2'))).toBe(secrets('•••••••'));
});
