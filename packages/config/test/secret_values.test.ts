/** Secrets of a config, which assistants never read, and the files that it names. */

import { filesNamedIn } from '@form-relay/yaml/files_named';
import { expect, test } from 'vitest';
import { secretValues } from '../../../apps/mcp/src/config_secrets.ts';

test.each<[what: string, config: string, secrets: readonly string[]]>([
  ['values under secret keys', 'password: longpw\ntitle: longti', ['longpw']],
  ['none of five characters, which stand everywhere', 'password: short', []],
  ['no template', `password: '{{ env "PASSWORD" }}'`, []],
  ['no username, which many share', 'a: {username: somebody, password: longpassword}', ['longpassword']],
  ['each once', 'a: {password: longpw}\nb: [{token: longpw}]', ['longpw']],
  ['numbers', 'a:\nb: {password: 1234567, token: true, secret: }', ['1234567']],
  [
    'values of headers',
    'outputs: [{headers: {X-Key: abcdef, Accept: text/html, CONTENT-LENGTH: "1234567", X-Accept: ghijkl}}]',
    ['abcdef', 'ghijkl'],
  ],
  ['headers of other names elsewhere', 'accept: {password: longpw}', ['longpw']],
  [
    'what stands after a scheme',
    'headers: {Authorization: Bearer   abcdef, X-A: "1 abcdefg", X-B: a ghi jkl}',
    ['Bearer   abcdef', 'abcdef', '1 abcdefg', 'a ghi jkl'],
  ],
  [
    'credentials in addresses',
    'urls: [HTTPS://u.ser-1:pa:ss/x, HTTPS://u.ser-1:passwd@a.example, "a+b://longname@a.example:1/x@y"]',
    ['u.ser-1', 'passwd', 'longname'],
  ],
  [
    'no address within a text',
    'urls: ["see https://username:password@a.example", "1s://username@a.example"]',
    [],
  ],
  ['none of what is no YAML', 'password: [longpw', []],
])('of a config are hidden %s', (_, config, secrets) => {
  expect(secretValues(config)).toEqual(secrets);
});

test.each<[what: string, config: string, beside: readonly string[], fonts: readonly string[]]>([
  ['fonts', 'pdf: {fonts: [a.ttf], title: b}\nhtml: {fonts: [c]}', [], ['a.ttf']],
  [
    'lists of all forms',
    'spam: {signals: {words: {block: words.txt, x: {y: z}}, quick: a}}',
    ['words.txt'],
    [],
  ],
  [
    'lists of a form',
    'forms: {a: {spam: {signals: {words: {block: words.txt}}, other: {words: {block: b}}}, pam: {signals: {words: {block: c}}}}}',
    ['words.txt'],
    [],
  ],
  ['none of what is no YAML', 'pdf: {fonts: [a.ttf]', [], []],
])('a config names %s', (_, config, beside, fonts) => {
  const { fonts: ofFonts, ...others } = filesNamedIn(config);
  expect(ofFonts).toEqual(new Set(fonts));
  expect(new Set(Object.values(others).flatMap((some) => [...some]))).toEqual(new Set(beside));
});
