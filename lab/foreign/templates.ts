/** Random templates, rendered by Go's text/template (templates.go) and by the relay. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseTemplate } from '../../packages/schema/src/template/parse.ts';
import { installed } from './debian.ts';
import { type Suite, tally } from './suite.ts';

/** The same data as in templates.go. */
const context = {
  fields: new Map([
    ['a', [' Ada', 'Bob ']],
    ['b', ['']],
    ['größe', ['ß']],
    ['zip', ['01234']],
  ]),
  formId: 'contact',
  submittedAt: '2026-01-01T00:00:00Z',
  env: (name: string) => (name === 'X' ? 'x y' : undefined),
};

const operand = fc.constantFrom(
  '.fields.a',
  '.fields.b',
  '.fields.zip',
  '.fields.none',
  '.form.id',
  '.submitted_at',
  '"x"',
  '`y`',
  '"\\u00e9\\n\\x41"',
  '(trim .fields.a)',
  '(env "X")',
  '(join "," (values "zip"))',
);
const space = fc.constantFrom(' ', '  ', '\n', '');
const call = fc.oneof(
  fc.tuple(fc.constantFrom('trim', 'lower', 'upper'), operand).map((parts) => parts.join(' ')),
  fc.tuple(fc.constantFrom('default "-"', 'join "; "'), operand).map((parts) => parts.join(' ')),
  fc.constantFrom(
    'env "X"',
    'env "NONE"',
    'trim (values "a")',
    'join "," (values "a")',
    'values "none" | join ","',
  ),
  operand,
);
const stage = fc.constantFrom('trim', 'lower', 'upper', 'default "-"', 'join "+"');
const action = fc
  .record({
    open: fc.constantFrom('{{', '{{-', '{{- '),
    close: fc.constantFrom('}}', '-}}', ' -}}'),
    first: call,
    rest: fc.array(stage, { maxLength: 3 }),
    before: space,
    after: space,
  })
  .map(
    ({ open, close, first, rest, before, after }) =>
      `${open}${before}${[first, ...rest].join(' | ')}${after}${close}`,
  );
const nonsense = fc.constantFrom(
  '{{',
  '}}',
  '{{/* c */}}',
  '{{- /* c */ -}}',
  '{{ /* c */ }}',
  '{{}}',
  '{{ | trim }}',
  '{{ trim"x" }}',
  '{{ nothing }}',
  '{{ ( trim .fields.a }}',
  '{{ "x }}',
  '{{ trim }}',
);
const text = fc.constantFrom('', ' ', '\n', 'Hello, ', '\t', '}', '{', '-');
/** Each shows one rule in which the relay differs from Go. */
const rules = [
  '{{ .fields.a-b }}',
  '{{ .fields.1x }}',
  '{{ upper .fields.größe }}',
  '{{ values "a" }}',
  '{{ if .fields.a }}x{{ end }}',
  '{{ len .fields.a }}',
  '{{ $x := .fields.a }}',
  '{{ .fields }}',
  '{{ .env }}',
  '{{ env .fields.a }}',
  '{{ 1 }}',
];
const templates = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: action },
      { weight: 4, arbitrary: text },
      { weight: 1, arbitrary: nonsense },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

export const goTemplates: Suite = async () => {
  const skipped = await installed('/usr/bin/go', 'golang-go');
  if (skipped !== undefined) return { tried: 0, differences: [], skipped };
  const { compare, outcome } = tally();
  const sources = [...new Set([...rules, ...fc.sample(templates, { numRuns: 20_000, seed: 1 })])];
  const answers = await renderedByGo(sources);
  for (const [index, source] of sources.entries()) {
    const { ok, text: theirs = '' } = answers[index] ?? {};
    const parsed = parseTemplate(source);
    const ours = parsed.ok ? JSON.stringify(parsed.value.render(context)) : 'refused';
    compare(JSON.stringify(source), ok ? JSON.stringify(theirs) : 'refused', ours);
  }
  return outcome();
};

async function renderedByGo(sources: readonly string[]): Promise<{ ok: boolean; text: string }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-'));
  try {
    const file = new URL('templates.go', import.meta.url).pathname;
    const { stdout, stderr } = spawnSync('go', ['run', file], {
      input: sources.map((source) => `${JSON.stringify(source)}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', HOME: folder },
    });
    if (!stdout) throw new Error(`go run ended with: ${stderr}`);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
