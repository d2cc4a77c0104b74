/** A built config is what its YAML is, and nothing but its YAML where anything of it was changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../packages/relay/src/base/result.ts';
import { buildConfig } from '../../packages/relay/src/config/built/build_config.ts';
import { unlessCutOff, yamlOf } from '../../packages/relay/src/config/built/built_text.ts';
import { readBuilt } from '../../packages/relay/src/config/built/read_built.ts';
import { notesOn } from '../../packages/relay/src/config/needed_variables.ts';
import { type Config, type ParseResult, parseInLanguages } from '../../packages/relay/src/config/parse.ts';
import type { ReadBeside } from '../../packages/relay/src/config/source.ts';
import { runs, sampleOf } from '../support/fuzz.ts';

const file = 'webform.yaml';
const noneBeside: ReadBeside = async () => err('there is none');

async function build(yaml: string, read = noneBeside): Promise<string> {
  const built = await buildConfig(yaml, file, read);
  if (!built.ok) throw new Error(built.error.map(({ message }) => message).join('\n'));
  return built.value.text;
}

/** A function's reading of it, and the reasons that it logs. */
async function inFunction(text: string, read = noneBeside) {
  const reasons: unknown[] = [];
  const result = await readBuilt(text, file, (_, event, about) => reasons.push(event, about), read);
  return { result, reasons };
}

/** With all forms built. */
const whole = async (config: Config) => ({
  ...config,
  forms: new Map(config.forms),
  notes: notesOn(config.forms),
  said: await config.warnings(),
});

const shown = async (result: ParseResult | undefined) =>
  inspect(result?.ok ? await whole(result.value) : result, {
    depth: 12,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: 120,
  });

const cases = new URL('../config-cases/', import.meta.url);
const configs = sampleOf(readdirSync(cases)).map((name) => ({
  name,
  yaml: readFileSync(new URL(name, cases), 'utf8').split('----------\n')[0] ?? '',
}));
const good: { name: string; yaml: string }[] = [];
for (const one of configs) {
  if ((await parseInLanguages(one.yaml, file, noneBeside)).ok) good.push(one);
}

test('there are configs to build', () => expect(good.length).toBeGreaterThan(10));

describe('each config that loads', () => {
  test.each(good)('$name', async ({ yaml }) => {
    const text = await build(yaml);
    expect(text).toContain(`\n${yaml.replace(/^\uFEFF/, '')}\n`);
    const { result, reasons } = await inFunction(text);
    expect(reasons).toEqual([]);
    expect(await shown(result)).toBe(await shown(await parseInLanguages(text, file, noneBeside)));
    // To what reads YAML, and knows nothing of it, too.
    const plain = await shown(
      await parseInLanguages(`# One line\n${yaml.replace(/^\uFEFF/, '')}`, file, noneBeside),
    );
    expect(await shown(await parseInLanguages(text, file, noneBeside))).toBe(plain);
    expect(await build(text)).toBe(text);
  });
});

test('a config that does not load is not built', async () => {
  for (const { name, yaml } of configs.filter((one) => !good.includes(one))) {
    expect((await buildConfig(yaml, file, noneBeside)).ok, name).toBe(false);
  }
});

const several = `
origins: ["https://example.com"]
messages: {submit: "Gr\u00fc\u00dfe \u2028 \u007f \u{1F600}"}
language_files: {de: de.yaml}
forms:
  a:
    language: de
    fields: [&shared {name: a, label: Ä}]
    outputs: [{type: http_post, url: "https://example.com/", headers: {Authorization: '{{ env "TOKEN" }}'}}]
  b:
    spam: {min_fill_seconds: 3}
    fields: [*shared]
    outputs: [{type: email, to: a@example.com, subject: "{{ .fields.a | upper }}"}]
`;
const german: ReadBeside = async (path) => (path === 'de.yaml' ? ok('submit: Los') : err('there is none'));

test('files beside it are read with each load', async () => {
  const text = await build(several, german);
  const { result } = await inFunction(text, german);
  expect(await shown(result)).toBe(await shown(await parseInLanguages(text, file, german)));
  expect((await inFunction(text)).result?.ok).toBe(false);
});

describe('what was changed', () => {
  test.each([
    [
      'by another version',
      (text: string) => text.replace(/build \d[^ ]*/, 'build 99.0.0'),
      'version 99.0.0 built it',
    ],
    [
      'in its YAML',
      (text: string) => text.replace('upper', 'lower'),
      'its YAML was changed after it was built',
    ],
    ['in its parts', (text: string) => text.replace('"a@example', '"b@example'), 'its parts were changed'],
    [
      'in its first line',
      (text: string) => text.replace(/ [0-9a-f]{8} /, ' '),
      'its first or last line was changed',
    ],
    [
      'in its line ends',
      (text: string) => text.replaceAll('\n', '\r\n'),
      'its first or last line was changed',
    ],
  ])('%s is read as YAML, and the log says why', async (_, change, reason) => {
    const text = change(await build(several, german));
    const { result, reasons } = await inFunction(text, german);
    expect(result).toBeUndefined();
    expect(reasons).toEqual([
      'config_parts_unused',
      { config: file, reason: expect.stringContaining(reason) },
    ]);
    expect(unlessCutOff(text).ok).toBe(true);
    expect((await parseInLanguages(text, file, german)).ok).toBe(true);
    expect(await build(text, german)).toBe(await build(yamlOf(text).replace(/^.*\n/, ''), german));
  });

  test('anywhere is noticed', async () => {
    const text = await build(several, german);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom('x', '0', ' ', '\n', ''), async (at, to) => {
        const changed = text.slice(0, at) + to + text.slice(at + 1);
        const inAdvice = at < text.indexOf('\n') && at > text.indexOf(': ') && to !== '\n';
        if (changed === text || inAdvice || !changed.startsWith('# Built by relay config build ')) return;
        expect((await inFunction(changed, german)).result).toBeUndefined();
      }),
      runs(300),
    );
  });

  test('at its end is cut off, wherever that is', async () => {
    const text = await build(several, german);
    for (let length = 30; length < text.trimEnd().length; length += 1) {
      expect(unlessCutOff(text.slice(0, length)).ok, text.slice(0, length)).toBe(false);
    }
  });
});
