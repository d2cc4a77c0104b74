import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { relayWith, tempFolder } from '../support/index.ts';
import { exceptExamples, parseConfig } from '../support/parse_config.ts';
import { blocksOf, read } from './papers.ts';

const blocks = blocksOf('README.md');
const textOf = (language: string, pattern = /^/) =>
  blocks.find((block) => block.language === language && pattern.test(block.text))?.text ?? '';

const config = textOf('yaml');
const curl = textOf('sh', /^curl /);

/** Throws if the README no longer contains `from`. */
function replace(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

/** Starts a relay with the README's form, which writes to a temporary folder. */
async function start(text: string) {
  const received = tempFolder();
  const relay = await relayWith({ config: replace(text, 'path: received', `path: ${received}`) });
  return { relay, received };
}

test('the form and its curl command work as the README says, and its page exists', async () => {
  const { relay, received } = await start(config);
  const command = replace(curl, 'http://localhost:8080', relay.origin);
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env.PATH } });

  expect(`${stdout}\n`).toBe(textOf('json'));
  const [entry = ''] = (await readdir(received, { recursive: true })).filter((path) =>
    path.endsWith('.json'),
  );
  const { fields } = JSON.parse(readFileSync(join(received, entry), 'utf8'));
  expect(fields.map(({ values }: { values: string[] }) => values)).toEqual([
    ['Ada'],
    ['ada@example.org'],
    ['Hello'],
  ]);
  const [, page = ''] = /<http:\/\/localhost:8080(\/f\/[^>]*)>/.exec(read('README.md')) ?? [];
  expect((await relay.request(page, {})).text).toContain('<!DOCTYPE html>');
});

test.each([
  ['as it stands', config],
  ['with the output in its comments', config.replaceAll(/^( +)# (?=- type| {2})/gm, '$1')],
])('the config of the README loads without a warning %s', async (_, text) => {
  const result = parseConfig(text, 'webform.yaml');
  expect(result.ok ? exceptExamples(await result.value.warnings()) : result.error).toEqual([]);
  expect(text).toContain('type: smtp');
});
