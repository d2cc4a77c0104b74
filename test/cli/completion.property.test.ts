/** What the shell is told at the Tab key: one candidate a line, whatever the config calls its forms. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { complete } from '../../packages/cli/src/complete.ts';
import { formName } from '../../packages/cli/src/usage.ts';
import { runs } from '../support/fuzz.ts';

const folder = mkdtempSync(join(tmpdir(), 'completion-'));
const file = join(folder, 'webform.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const relay = new Command('relay').option('--config <file>', 'the config');
const form = relay.command('form').description('forms');
form
  .command('html')
  .argument('<name>', 'the form', formName)
  .option('--format <format>', 'how')
  .description('prints');

async function candidates(...words: string[]): Promise<string[]> {
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  onTestFinished(() => write.mockRestore());
  try {
    await complete(relay, words);
  } finally {
    write.mockRestore();
  }
  expect(printed === '' || printed.endsWith('\n')).toBe(true);
  return printed.split('\n').slice(0, -1);
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc
    .array(fc.constantFrom('\n', '\r', '\t', '\x1b[2J', ':', ' ', "'", '$(x)', '\u202e', 'a', ':files'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
);

test('each form is one line, with its name first', async () => {
  const id = text.filter((name) => !/\p{Cc}|^\.{1,2}$/u.test(name));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(id, text), { selector: ([name]) => name, maxLength: 4 }),
      async (forms) => {
        const output = [{ type: 'http_post', url: 'http://sink.test/', mapping: '*' }];
        writeFileSync(
          file,
          JSON.stringify({
            forms: Object.fromEntries(
              forms.map(([name, title]) => [name, { title, fields: [], outputs: output }]),
            ),
          }),
        );
        const lines = await candidates('--config', file, 'form', 'html', '');
        expect(lines.map((line) => line.split('\t')[0]).sort()).toEqual(forms.map(([name]) => name).sort());
        for (const line of lines) {
          expect(line.split('\t')).toHaveLength(2);
          // Nothing that would move the cursor of the terminal that shows it.
          expect(line.replace('\t', '')).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
    runs(100, 0.2),
  );
});

test('any words are completed or not, and nothing breaks', async () => {
  const word = fc.oneof(
    text,
    fc.constantFrom(
      'form',
      'html',
      'help',
      '--config',
      '--config=',
      '=',
      '-',
      '--',
      '--format',
      '--format=',
      '',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
      for (const line of await candidates(...words)) expect(line).toMatch(/^\S.*$/s);
    }),
    runs(200, 0.2),
  );
});
