import { secretValues } from '@form-relay/mcp/bounds';
import { filesNamedIn } from '@form-relay/yaml/document';
import { inspectInLanguages, parseConfig } from '../../../test/support/parse_config.ts';

/** The problems of a config with this many of them, one per line. */
function problemsOf(count: number) {
  const keys = Array.from({ length: count }, (_, index) => `wrong${index}: 1\n`);
  const result = parseConfig(`forms: {}\n${keys.join('')}`, 'webform.yaml');
  return result.ok ? [] : result.error;
}

test.each([202, 1000])('the last of %i reported problems counts the rest', (count) => {
  const problems = problemsOf(count);
  expect(problems).toHaveLength(201);
  expect(problems.slice(0, 200).map(({ path }) => path)).toEqual(
    Array.from({ length: 200 }, (_, index) => `wrong${index}`),
  );
  expect(problems.at(-1)).toMatchObject({ line: 202, message: `${count - 200} more problems from here on` });
});

/** Each "did you mean" as a change of the file, which fixes the problem. `«wrong»` marks the wrong word, the only mistake. */
const cases: Readonly<Record<string, readonly [yaml: string, meant: string]>> = {
  'a key': ['forms: {a: {fields: [{«nmae»: email}], outputs: $out}}', 'name'],
  'a key that other tools call so': ['forms: {a: {fields: [{name: b, «title»: B}], outputs: $out}}', 'label'],
  'a flag': ['forms: {a: {fields: [{name: b, required: «yes»}], outputs: $out}}', 'true'],
  'a duration': [
    'forms: {a: {fields: [{name: b}], outputs: [{timeout: «10 seconds», type: http_post, url: "http://localhost", mapping: "*"}]}}',
    '10s',
  ],
  'a field of a mapping': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", mapping: {to: «emial»}}]}}',
    'email',
  ],
  'a field of a template, but not the same word beside it': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "emial {{ trim .fields.«emial» }}"}}]}}',
    'email',
  ],
  'a path of a template': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "{{ «.filds.email» }}"}}]}}',
    '.fields.email',
  ],
};

const out = '[{type: http_post, url: "http://localhost", mapping: "*"}]';

async function problemsOfMeant(yaml: string) {
  const parsed = await inspectInLanguages(yaml, 'webform.yaml');
  return parsed.ok ? await parsed.value.warnings() : parsed.error;
}

test.each(Object.entries(cases))('a suggested word fixes %s', async (_, [marked, near]) => {
  const [before = '', found = '', after = ''] = marked.replace('$out', out).split(/[«»]/);
  const problems = await problemsOfMeant(before + found + after);
  const lines = before.split('\n');
  expect(problems.map(({ meant }) => meant)).toEqual([
    { text: near, line: lines.length, column: (lines.at(-1) ?? '').length + 1, length: found.length },
  ]);
  expect(await problemsOfMeant(before + near + after)).toEqual([]);
});

/** Secrets in a config, which assistants never read, and the files that the config names. */

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
  ['none within a text', 'urls: ["see https://username:password@a.example", "1s://username@a.example"]', []],
  ['none of what is no YAML', 'password: [longpw', []],
])('of a config are hidden %s', (_, config, secrets) => expect(secretValues(config)).toEqual(secrets));

test.each<[what: string, config: string, beside: readonly string[], fonts: readonly string[]]>([
  ['fonts', 'pdf: {fonts: [a.ttf], title: b}\nhtml: {fonts: [c]}', [], ['a.ttf']],
  ['general lists', 'spam: {signals: {words: {block: words.txt, x: {y: z}}, quick: a}}', ['words.txt'], []],
  [
    'lists of a form',
    'forms: {a: {spam: {signals: {words: {block: words.txt}}, other: {words: {block: b}}}, pam: {signals: {words: {block: c}}}}}',
    ['words.txt'],
    [],
  ],
  [
    'pictures and typefaces of looks',
    'look: {logo: logo.png, accent: red, dark: {icon: a}}\nforms: {a: {look: {cover: b.jpg, font_file: c.woff2}, logo: d}}',
    ['logo.png', 'b.jpg', 'c.woff2'],
    [],
  ],
  ['none of what is no YAML', 'pdf: {fonts: [a.ttf]', [], []],
])('a config names %s', (_, config, beside, fonts) => {
  const { fonts: ofFonts, ...others } = filesNamedIn(config);
  expect(ofFonts).toEqual(new Set(fonts));
  expect(new Set(Object.values(others).flatMap((some) => [...some]))).toEqual(new Set(beside));
});
