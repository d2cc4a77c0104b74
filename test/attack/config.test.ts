/**
 * A broken or malicious config results in problems, within bounded time and memory, and never in a crash.
 * Replacing the file of a running relay interrupts nothing: the last valid config stays in use.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatProblem } from '../../packages/yaml/src/problem.ts';
import { httpSink, relayWith, startCpuClock, tempFolder } from '../support/index.ts';
import { exceptExamples, parseConfig } from '../support/parse_config.ts';

const list = <T>(count: number, item: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => item(n));
const form = (fields: string, output = 'type: http_post, url: "http://a.acme.dev"') =>
  `forms:\n  a:\n    fields:\n${fields}\n    outputs: [{${output}}]\n`;
const inTemplate = (source: string) =>
  form('      []', `type: http_post, url: "http://a.acme.dev", static: {a: '${source}'}`);
const names = [...'abcdefghijk'];
const laughs = (node: (name: string) => string, first: string) =>
  names.map((name, n) => `${name}: &${name} ${n === 0 ? first : node(names[n - 1] ?? '')}\n`).join('');

const manyOptions = (count: number) =>
  `      - {name: a, type: select, required: true, options: [${list(count, (n) => `o${n}`)}]}`;
const outputsFor = (count: number) =>
  list(
    count,
    (n) => `type: http_post, url: "http://a.acme.dev", mapping: "*", when: {field: a, is: o${n}}`,
  ).join('}, {');

const attacks: Record<string, [config: string, problem: RegExp]> = {
  'a billion laughs, in maps': [
    `${laughs((name) => `{${list(9, (n) => `k${n}: *${name}`)}}`, '{x: y}')}forms: *k`,
    /the aliases expand to \d+ nodes/,
  ],
  'a billion laughs, as merge keys': [
    `${laughs((name) => `{${list(9, (n) => `k${n}: *${name}`)}, <<: *${name}}`, '{x: y}')}forms: *k`,
    /the aliases expand/,
  ],
  'a square of aliases': [
    `a: &a {${list(1_000, (n) => `k${n}: x`)}}\nforms: [${list(1_000, () => '*a')}]`,
    /the aliases expand/,
  ],
  'a cycle through a map': ['forms: &a {a: *a}', /never end/],
  'a cycle through a merge key': ['forms: &a {<<: *a}', /never end/],
  'merge keys': ['x: &x {fields: [], outputs: []}\nforms: {a: {<<: *x}}', /unknown key/],
  '10,000 lists in each other': [`forms: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, /too deeply/],
  '5,000 levels of indentation': [list(5_000, (n) => `${' '.repeat(n)}a:\n`).join(''), /too deeply/],
  '100,000 dashes': [`${'- '.repeat(100_000)}x`, /too deeply/],
  'a million brackets that never close': ['['.repeat(1_000_000), /too deeply/],
  '20,000 documents': ['---\n'.repeat(20_000), /second YAML document/],
  '100,000 anchors on one node': [`${'&a '.repeat(100_000)}x`, /anchor/],
  '20,000 anchors': [`forms: [${list(20_000, (n) => `&a${n} x`)}]`, /expected a map/],
  '100,000 tags': [`${'!a '.repeat(100_000)}x`, /tags/],
  '5,000 unknown keys': [list(5_000, (n) => `k${n}: x\n`).join(''), /unknown key/],
  '5,000 fields of one name': [form('      - {name: a}\n'.repeat(5_000)), /already declared/],
  '5,000 conditions in a chain': [
    form(
      list(
        5_000,
        (n) => `      - {name: f${n}${n > 0 ? `, visible_when: {field: f${n - 1}, is: x}` : ''}}`,
      ).join('\n'),
    ),
    /chain of more than 100 conditions/,
  ],
  '5,000 outputs for as many options, and one for none of them': [
    form(manyOptions(5_000), `${outputsFor(5_000)}}, {type: nosuch, when: {field: a, is: o}`),
    /never has this value/,
  ],
  'a scalar of 2 MB': [`forms: ${'x'.repeat(2e6)}`, /expected a map/],
  'a form name of 100 KB, with 1,000 problems': [
    form('      - x\n'.repeat(1_000)).replace('  a:', `  ${'x'.repeat(1e5)}:`),
    /expected a map/,
  ],
  'a key of 1 MB': [`${'x'.repeat(1e6)}: y`, /./],
  'a quote of 2 MB that never closes': [`forms: "${'x'.repeat(2e6)}`, /close the quote that is open/],
  'a comment of 2 MB': [`#${'x'.repeat(2e6)}`, /empty/],
  '17 MB of text': [`forms: ${'x'.repeat(17e6)}`, /over 16 MB/],
  '17 MB of lists': ['[x],'.repeat(4.3e6), /over 16 MB/],
  'a NUL': ['forms: {"a\0b": x}', /./],
  'a control character': ['forms: {a\x07: b}', /control character/],
  'UTF-16 read as UTF-8': [Buffer.from('forms: {}', 'utf16le').toString('utf8'), /./],
  'bytes that are no text': [
    Buffer.from(list(2_000, (n) => String.fromCharCode((n * 7919) % 256)).join(''), 'latin1').toString(
      'utf8',
    ),
    /./,
  ],
  'a key twice': ['forms: {}\nforms: {a: x}', /twice/],
  'the prototype as a key': ['__proto__: {forms: {}}', /unknown key/],
  'the prototype as a form': ['forms: {__proto__: {fields: x}}', /expected a list/],
  'a version of YAML that is none': ['%YAML 9.9\n---\nforms: {}', /./],
  '100,000 parentheses in a template': [inTemplate(`{{ ${'('.repeat(100_000)}`), /at most 100/],
  '100,000 pipes': [inTemplate(`{{ .fields.a${' | trim'.repeat(100_000)} }}`), /at most 100/],
  'a template quote that never closes': [inTemplate(`{{ "${'x'.repeat(1e6)}`), /never closed/],
  '100,000 groups in a pattern': [
    form(`      - {name: a, pattern: "${'('.repeat(100_000)}${')'.repeat(100_000)}"}`),
    /not a regular expression/,
  ],
  'a pattern that is too large to run': [
    form(`      - {name: a, pattern: "((a{1000}){1000}){1000}"}`),
    /very large counts/,
  ],
  ...Object.fromEntries(
    [
      'js/function "() => 1"',
      'python/object/apply:os.system [x]',
      'binary "AAAA"',
      'timestamp 2001-01-01',
    ].map((tag) => [`the tag !!${tag}`, [`forms: !!${tag}`, /tags/]]),
  ),
  'a tag of its own': ['%TAG ! tag:evil.test,2000:\n---\nforms: !x y', /tags/],
};

test.each(Object.keys(attacks))('%s: problems are reported quickly, and are few enough to read', (what) => {
  const [config, problem] = attacks[what] ?? ['', /./];
  const cpuMs = startCpuClock();
  const result = parseConfig(config, 'webform.yaml');
  expect(cpuMs()).toBeLessThan(10_000);
  const problems = result.ok ? [] : result.error;
  expect(problems.map(formatProblem).join('\n')).toMatch(problem);
  expect(problems.length).toBeLessThanOrEqual(201);
  expect(JSON.stringify(problems).length).toBeLessThan(500_000);
});

test.each<[what: string, config: string]>([
  ['a pattern of 5,000 alternatives', form(`      - {name: a, pattern: "${'a|'.repeat(5_000)}b"}`)],
  [
    '100 conditions in a chain',
    form(
      list(
        101,
        (n) => `      - {name: f${n}${n > 0 ? `, visible_when: {field: f${n - 1}, is: x}` : ''}}`,
      ).join('\n'),
    ),
  ],
  ['100,000 actions in a template', inTemplate('{{ .fields.a }}'.repeat(100_000))],
])('%s loads, and submissions are answered', async (_what, config) => {
  const sink = await httpSink();
  const relay = await relayWith({ config: config.replace('http://a.acme.dev', sink.origin) });
  const answer = await relay.submit('a', [
    ['a', 'a'.repeat(100)],
    ...list(100, (n): [string, string] => [`f${n}`, 'x']),
  ]);
  expect([200, 422]).toContain(answer.status);
  expect((await relay.get('/api/v1/form/a?f0=x')).status).toBe(200);
});

test.each([
  ['5,000 outputs, of which each takes one option of 5,000', form(manyOptions(5_000), outputsFor(5_000))],
  ['40 outputs for 40 boxes', form(manyOptions(40).replace('select', 'checkboxes'), outputsFor(40))],
])('%s: warnings are reported quickly', async (_what, config) => {
  const cpuMs = startCpuClock();
  const result = parseConfig(config, 'webform.yaml');
  expect(result.ok && exceptExamples(await result.value.warnings())).toEqual([]);
  expect(cpuMs()).toBeLessThan(10_000);
});

test('a relay whose config is replaced by any of these continues with the last valid one', async () => {
  const sink = await httpSink();
  const folder = tempFolder();
  const file = join(folder, 'webform.yaml');
  await writeFile(
    file,
    `cache_ttl: 1ms\n${form('      - {name: a}', `type: http_post, url: "${sink.origin}", mapping: "*"`)}`,
  );
  const relay = await relayWith({ env: { CONFIG_FILE: file } });
  expect((await relay.submit('a', [['a', 'x']])).status).toBe(200);
  const quick = Object.entries(attacks).filter(([, [config]]) => config.length < 100_000);
  for (const [what, [config]] of quick) {
    await writeFile(file, config);
    relay.advance(10);
    expect([what, (await relay.submit('a', [['a', 'x']])).status]).toEqual([what, 200]);
  }
  expect(sink.requests).toHaveLength(quick.length + 1);
  expect((await relay.get('/readyz')).text).toContain('last good config');
});

/** The built command line with as little memory as on a small machine. */
const heapMb = 128;

test.each([
  ...['a billion laughs, in maps', '5,000 levels of indentation', 'a scalar of 2 MB', '17 MB of lists'],
  ...['5,000 conditions in a chain', '20,000 anchors'],
])('%s: with a heap of 128 MB, `relay config validate` says what is wrong', async (what) => {
  const folder = tempFolder();
  const file = join(folder, 'webform.yaml');
  await writeFile(file, attacks[what]?.[0] ?? '');
  const code = await new Promise((resolve) => {
    const args = [`--max-old-space-size=${heapMb}`, 'dist/relay.cjs', '--config', file, 'config', 'validate'];
    execFile(process.execPath, args, { maxBuffer: 50e6 }, (error) => resolve(error?.code ?? 0));
  });
  expect(code).toBe(1);
});
