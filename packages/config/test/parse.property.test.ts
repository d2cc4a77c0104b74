import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { configCases } from '../../../test/support/config_cases.ts';
import { holds } from '../../../test/support/fuzz.ts';
import { inspect } from '../../../test/support/parse_config.ts';
import { readDocument } from '../../yaml/src/document.ts';

/** Parses a text, and checks the promises about every reported problem. */
async function parse(text: string) {
  const result = await inspect(text, 'webform.yaml');
  const { isOk, problems } = result;
  const isYaml = readDocument(text).ok;
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const { file, line, column, message, excerpt, severity } of problems) {
    expect(file).toBe('webform.yaml');
    expect(severity).toBe(isOk ? 'warning' : 'error');
    expect(message).toMatch(/^\S.*$/s);
    expect(line).toBeGreaterThan(0);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThan(0);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
    // Text that is not YAML is never quoted.
    expect(excerpt).toMatch(isYaml ? new RegExp(`^ *${line} \\| [^\\n]*\\n +\\| *\\^+$`) : /^$/);
  }
  if (!isOk) expect(problems).not.toEqual([]);
  return result;
}

test('any text loads or has problems with a place', async () => {
  const marks = ['\n', '  ', '\t', ': ', '- ', '&a ', '*a', '|\n', '>\n', '---\n', '? '];
  const signs = '{ } [ ] " \' # <<'.split(' ');
  const words = ['!!str ', '%YAML 1.2\n', '{{ env "A" }}', '\0', '\u2028', '\uFEFF'];
  const keys = 'forms contact fields outputs name ~'.split(' ');
  const yamlish = fc
    .array(fc.constantFrom(...marks, ...signs, ...words, ...keys), { maxLength: 40 })
    .map((parts) => parts.join(''));
  await holds(
    100,
    [fc.oneof(yamlish, fc.string({ unit: 'binary', maxLength: 60 }))],
    async (text) => void (await parse(text)),
  );
});

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const examples = [
  ...readdirSync(new URL('examples/', root))
    .map((name) => `examples/${name}/webform.yaml`)
    .filter((path) => existsSync(new URL(path, root)))
    .map(read),
  ...configCases.filter(({ name }) => name.startsWith('ok_')).map(({ config }) => config),
];

test.each(examples)('an undamaged config loads: %#', async (text) =>
  expect((await parse(text)).isOk).toBe(true),
);

const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const at = (share: number, length: number) => Math.floor(share * length);
/** Ways to damage a text at a line or character: delete, repeat, replace, insert, cut. */
const edit = fc.constantFrom<(parts: readonly string[], at: number, garbage: string) => readonly string[]>(
  (parts, at) => parts.toSpliced(at, 1),
  (parts, at) => parts.toSpliced(at, 0, ...parts.slice(at, at + 1)),
  (parts, at, garbage) => parts.toSpliced(at, 1, garbage),
  (parts, at, garbage) => parts.toSpliced(at, 0, garbage),
  (parts, at) => parts.slice(0, at),
);
const garbage = fc.oneof(
  fc.constantFrom('\t', '  ', '\n', ...`" ' { } [ ] : - &a *a | # {{ }} ! ~ ,`.split(' ')),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

test('a damaged config loads or has problems with a place', async () => {
  const damage = fc.tuple(fc.constantFrom('\n', ''), edit, position, garbage);
  await holds(
    100,
    [fc.constantFrom(...examples), fc.array(damage, { minLength: 1, maxLength: 3 })],
    async (text, damages) => {
      const damaged = damages.reduce((before, [separator, apply, share, some]) => {
        const parts = before.split(separator);
        return apply(parts, at(share, parts.length), some).join(separator);
      }, text);
      await parse(damaged);
    },
  );
});
