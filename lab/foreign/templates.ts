/** Random templates, rendered by Go's text/template (templates.go) and by the relay. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseTemplate } from '../../packages/schema/src/template/parse.ts';
import { readYaml } from '../../scripts/data.ts';
import { tempFolder } from '../../scripts/machine.ts';
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

const parts = readYaml<Readonly<Record<string, readonly string[]>>>(
  new URL('templates.yaml', import.meta.url),
);
const { rules = [] } = parts;
const one = (kind: string) => fc.constantFrom(...(parts[kind] ?? []));
const call = fc.oneof(
  fc.tuple(one('functions'), one('operands')).map((words) => words.join(' ')),
  one('calls'),
  one('operands'),
);
const action = fc
  .tuple(
    ...[one('opens'), one('spaces'), call, fc.array(one('stages'), { maxLength: 3 })],
    ...[one('spaces'), one('closes')],
  )
  .map(([open, before, first, rest, after, close]) =>
    [open, before, [first, rest].flat().join(' | '), after, close].join(''),
  );
const templates = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: action },
      { weight: 4, arbitrary: one('texts') },
      { weight: 1, arbitrary: one('nonsense') },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

export const goTemplates: Suite = async () => {
  const skipped = await installed('/usr/bin/go', 'golang-go');
  if (skipped !== undefined) return { tried: 0, differences: [], skipped };
  const { compare, outcome } = tally();
  const sources = [...new Set([...rules, ...fc.sample(templates, { numRuns: 20_000, seed: 1 })])];
  const answers = renderedByGo(sources);
  for (const [index, source] of sources.entries()) {
    const { ok, text: theirs = '' } = answers[index] ?? {};
    const parsed = parseTemplate(source);
    const ours = parsed.ok ? JSON.stringify(parsed.value.render(context)) : 'refused';
    compare(JSON.stringify(source), ok ? JSON.stringify(theirs) : 'refused', ours);
  }
  return outcome();
};

function renderedByGo(sources: readonly string[]): readonly { ok: boolean; text: string }[] {
  const folder = tempFolder('foreign');
  const { stdout, stderr } = spawnSync('go', ['run', new URL('templates.go', import.meta.url).pathname], {
    input: sources.map((source) => `${JSON.stringify(source)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', HOME: folder },
  });
  if (!stdout) throw new Error(`go run ended with: ${stderr}`);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}
